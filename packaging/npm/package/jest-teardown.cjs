"use strict";

module.exports = () => globalThis.tavola.stop();
