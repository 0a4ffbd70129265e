def forward(self, q):
    if False:  # match
        pass
    elif 0:  # match
        pass
    if True:  # match
        pass
    if 0 and self.fast:  # match
        pass
    if self.fast or True:  # match
        pass
    if self.fast and False:  # match
        pass
    if False and self.fast:  # match
        pass
    while False:  # match
        pass
    x = 1 if False else 2  # match
    if not True:  # match
        pass
