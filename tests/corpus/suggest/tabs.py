def f(q):
	if q:
		import pdb; pdb.set_trace()
	return q