def forward(self, x):
    assert not torch.isnan(x).any()  # match
    if torch.isnan(x).any():  # match
        pass
    if x.isinf().any():  # match
        pass
    ok = torch.allclose(x, y)  # match
    torch.testing.assert_close(x, y)  # match
    torch.autograd.set_detect_anomaly(True)  # match
