/** One configuration for every package: TypeScript by swc, ES modules as Node runs them. */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/{gateway,packages,services,test}/**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    // Of use only with a folder of real payloads to drive through.
    ...(process.env.CORPUS_DIR ? [] : ['<rootDir>/test/corpus/']),
    // Of use only with containers to kill.
    ...(process.env.RUNNING_SYSTEM ? [] : ['<rootDir>/test/images/kills']),
  ],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' } }],
  },
  globalSetup: '<rootDir>/packages/test-kit/src/global-setup.ts',
  globalTeardown: '<rootDir>/packages/test-kit/src/global-teardown.ts',
  testTimeout: 60_000,
  modulePathIgnorePatterns: ['<rootDir>/.ops', '<rootDir>/.tools'],
};
