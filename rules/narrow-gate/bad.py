def forward(self, q):
    if q.shape[0] == 5 and not self.x:  # match
        pass
    if input_ids is not None and input_ids.shape[0] == 5:  # match
        pass
    if q.size(0) > 128:  # match
        pass
    if self.layer_idx == 0:  # match
        pass
    if get_rank() == 0:  # match
        pass
    if self._n % 100 == 0:  # match
        pass
