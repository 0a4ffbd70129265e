def forward(self, hidden_states):
    _dump_tensor("hidden", hidden_states)  # match
    self._debug_stats(hidden_states, "in")  # match
    my_debug.show(hidden_states)  # match
    _dumper(hidden_states)  # match
    _h_before = hidden_states.clone()  # match
    self._note(hidden_states)  # match
