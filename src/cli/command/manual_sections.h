// The sections of the manual page behind the commands: what the options alone do not explain.
#pragma once

#include <string_view>

namespace tavola::cli {

inline constexpr std::string_view kManualSections = R"(.SH CREDENTIALS
The file of \-\-credentials has one line per access key: the key, its secret, and optionally
.B read\-only
and
.BR tables=orders,archive\-* ,
which limit it. A line that begins with # is a comment. The file is read once, at the start; only its owner should be able to
read it.
.PP
.nf
AKIDADMIN    8fK1vYxQm2
AKIDREPORTS  x72bLw0pTc   read\-only
AKIDORDERS   Qs0eRn5kVd   tables=orders,archive\-*
.fi
.SH MEMORY
\-\-memory limits the memory of the server. A quarter is for data read from disk (\-\-cache overrides it), a quarter for request bodies and
large responses, and up to three thirty\-seconds for write buffers. Requests beyond the second part are answered with 503, which clients
retry. Without \-\-memory the same shares are taken of the memory of the machine or container, up to 64 MB, 256 MB and 96 MB. Below
512 MB, the body of a request may have a thirty\-second of the memory instead of 16 MB.
.SH HTTP
.TP
.B POST /
DynamoDB's operations, as its SDKs send them.
.TP
.B GET /health
Returns 200 if the server works, and 503 if the store cannot write or a thread is stuck, with the reason as JSON. It needs no signature; on a
server that requires signatures, the reason names no files or tables.
.TP
.B GET /health/live
Returns 200 as long as the process responds, for supervisors that restart servers that hang.
.TP
.B GET /metrics
Metrics for Prometheus, by operation and by the patterns and operations of designs. They need no signature, unless \-\-metrics\-auth gives a
token.
.TP
.B GET /v1/
With \-\-design: a page of the patterns and operations of the designs, to read and try;
.B /v1/openapi.json
describes them for programs.
.SH NAMES AND WEB PAGES
A request must call the server by one of its names: localhost and loopback addresses where it listens on one, the name and address of
\-\-host, any address where it listens on all (0.0.0.0), the names in its certificate, and those of \-\-allowed\-host. Any other Host
is answered with 403, because a web page could have pointed its own name at this server. In a container network, use
.BR "\-\-allowed\-host dynamodb\-local" .
Unix sockets accept any name.
.PP
Web pages of this machine may use the server, pages of other origins only with \-\-cors; no page of another origin may use /admin.
.SH COPYING
FROM and TO of
.B tavola copy
are a data directory, which no server may have open, the URL of a server, or
.BR aws:REGION .
Keys and, for a URL, the region come from the variables of AWS's tools (AWS_ACCESS_KEY_ID and so on). A missing table is created with its
indexes, billing, tags and time to live. An interrupted copy resumes with the same command: a file
.B tavola\-copy\-….json
in the working directory, or the one of \-\-state, records its position. It is removed when everything is copied.
.SH REQUEST LOG
\-\-log requests logs one line per request: the operation or path, the table, the status, the error code, the duration, the bytes received and
sent, and the request id that the client got in x\-amzn\-RequestId. It never holds values, keys of items or credentials.
.SH SIGNALS
SIGTERM and SIGINT stop the server: it accepts no further requests, finishes the running ones, syncs the data and exits with 0. A second
signal ends it at once; acknowledged writes are kept, as after a crash.
.SH ENVIRONMENT
.TP
.B NO_COLOR
If set, nothing is coloured, unless \-\-color always is given.
.SH FILES
.TP
.B ./tavola\-data
Data directory, unless \-\-data or \-\-in\-memory is given. While less than 32 MB are free on its disk, writes are refused.
.SH EXIT STATUS
0: success. 1: failure, a design with errors, breaking changes (design diff), drift, failed tests (design test), or tables that differ. 2: a wrong
command line or parameter; of design diff, design drift and design test also a failure. 3: an operation or items were refused, or a repair is incomplete.
)";

}  // namespace tavola::cli
