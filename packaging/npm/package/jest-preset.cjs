"use strict";

module.exports = {
  globalSetup: require.resolve("./jest-setup.cjs"),
  globalTeardown: require.resolve("./jest-teardown.cjs"),
};
