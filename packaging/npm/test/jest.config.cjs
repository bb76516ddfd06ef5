module.exports = { preset: "tavola", testMatch: ["**/*.jest.cjs"] };
