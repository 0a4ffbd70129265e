def f(self, x):
    logger.debug("x")
    data = config.model_dump()
    text = json.dumps(x)
    x = self._attend(x)
    _, y = x
    return self._finish(x)
