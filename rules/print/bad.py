import sys
import rich


def forward(self, q):
    print("q", q.shape)  # match
    print(  # match
        f"q={q}",
        flush=True,
    )
    logger.warning("NOMLA_SAVE %s", q.shape)  # match
    logger.info("here")  # match
    self.logger.debug(q)  # match
    logging.error("x")  # match
    logging.getLogger(__name__).info("x")  # match
    _log.info("x")  # match
    sys.stderr.write("x")  # match
    rich.print(q)  # match
    pprint.pprint(q)  # match
    warnings.warn("x")  # match
    torch.set_printoptions(profile="full")  # match
    print("x") if q is not None else None  # match
    if q is None: print("none")  # match
