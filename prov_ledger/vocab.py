"""The IRIs that the ledger writes and reads: its own terms and those of the standards it builds on.

Sources: PROV-O (W3C 2013), Web Annotation Vocabulary (W3C 2017), EARL 1.0 Schema (W3C 2017),
DCMI Metadata Terms, RDF 1.1, XML Schema 1.1 part 2.
"""

PL = "https://w3id.org/prov-ledger#"
PROV = "http://www.w3.org/ns/prov#"
OA = "http://www.w3.org/ns/oa#"
EARL = "http://www.w3.org/ns/earl#"
TIME = "http://www.w3.org/2006/time#"
DCTERMS = "http://purl.org/dc/terms/"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SH = "http://www.w3.org/ns/shacl#"
XSD = "http://www.w3.org/2001/XMLSchema#"

RDF_TYPE = RDF + "type"

#: Prefixes that every query may use without declaring them.
PREFIXES: dict[str, str] = {
    "pl": PL,
    "prov": PROV,
    "oa": OA,
    "earl": EARL,
    "time": TIME,
    "dcterms": DCTERMS,
    "rdf": RDF,
    "rdfs": RDFS,
    "xsd": XSD,
}
