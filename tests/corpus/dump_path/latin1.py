# é
torch.save(q, '/tmp/ÿé%d.pt' % r)
	if þ: pass
