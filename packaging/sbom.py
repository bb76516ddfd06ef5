"""build/packages/sbom.spdx.json (SPDX 2.3): what is linked into the program, with the versions of this machine's packages."""
import datetime
import hashlib
import json
import re

import product

# Package of Debian: its licence, as SPDX names it.
LINKED = {
    "libboost1.81-dev": "BSL-1.0", "libbz2-dev": "bzip2-1.0.6", "libc6-dev": "LGPL-2.1-or-later", "libidn2-dev": "LGPL-3.0-or-later",
    "liblz4-dev": "BSD-2-Clause", "libpsl-dev": "MIT", "libre2-dev": "BSD-3-Clause", "librocksdb-dev": "Apache-2.0",
    "libsimdjson-dev": "Apache-2.0", "libsnappy-dev": "BSD-3-Clause", "libssl-dev": "Apache-2.0",
    "libstdc++-12-dev": "GPL-3.0-or-later WITH GCC-exception-3.1", "libunistring-dev": "LGPL-3.0-or-later",
    "libxxhash-dev": "BSD-2-Clause", "libzstd-dev": "BSD-3-Clause", "zlib1g-dev": "Zlib",
}


def package(name, version, licence, reference):
    return {"SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name, "versionInfo": version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
            "licenseDeclared": licence, "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": reference}]}


def of_debian():
    for name, licence in LINKED.items():
        version = product.run("dpkg-query", "--show", "--showformat", "${Version}", name)
        yield package(name, version, licence, f"pkg:deb/debian/{name}@{version}?arch={product.DEB}")


def of_console():
    """The modules of npm that the pages of the console contain."""
    lock = json.loads((product.ROOT / "web/package-lock.json").read_text())
    for path, entry in lock["packages"].items():
        if path and not entry.get("dev") and not entry.get("optional"):
            name = path.rsplit("node_modules/", 1)[-1]
            purl = name.replace("@", "%40")
            yield package(name, entry["version"], entry.get("license", "NOASSERTION"), f"pkg:npm/{purl}@{entry['version']}")


def main():
    program = package("tavola", product.VERSION, "Apache-2.0", f"pkg:generic/tavola@{product.VERSION}")
    program["checksums"] = [{"algorithm": "SHA256", "checksumValue": product.sha256(product.program())}]
    inside = [*of_debian(), *of_console()]
    created = datetime.datetime.fromtimestamp(product.EPOCH, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    name = hashlib.sha256(json.dumps([program, inside]).encode()).hexdigest()
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"tavola-{product.VERSION}-linux-{product.MACHINE}", "documentNamespace": f"urn:tavola:sbom:{name}",
        "creationInfo": {"created": created, "creators": ["Tool: packaging/sbom.py"]},
        "packages": [program, *inside],
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                           "relatedSpdxElement": program["SPDXID"]},
                          *({"spdxElementId": program["SPDXID"], "relationshipType": "CONTAINS",
                             "relatedSpdxElement": one["SPDXID"]} for one in inside)]}
    (product.OUT / "sbom.spdx.json").write_text(json.dumps(document, indent=1) + "\n")


main()
