from trueval.rank.curves import *
from trueval.rank.fdr import FDRRanker
from trueval.rank.isotonic import IsotonicRanker
from trueval.rank.lpr import LocalPrecisionRate
from trueval.rank.ltdr import LocalTrueDiscoveryRate
from trueval.rank.pvalue import PValueRanker
