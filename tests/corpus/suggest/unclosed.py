def f(:
  "
 if x.shape[0] == 5:
	 torch.save(x, "/tmp/a%d" % r
