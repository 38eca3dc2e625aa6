/** What takes longer than a change can wait for: `npm run test:long`. Who names no tier, as `jest PATH`, gets any suite. */
const tier = process.env.TEST_TIER;

/** One configuration for every package. Suites run as processes do: Node's own loader, TypeScript as it stands. */
export default {
  testEnvironment: '<rootDir>/packages/test-kit/src/jest/environment.ts',
  runtime: '<rootDir>/packages/test-kit/src/jest/runtime.ts',
  transform: {},
  testMatch: [`<rootDir>/{gateway,packages,services,test}/**/*${tier === 'long' ? '.long' : ''}.test.ts`],
  testPathIgnorePatterns: [
    '/node_modules/',
    ...(tier === 'short' ? ['\\.long\\.test\\.ts$'] : []),
    // Of use only with containers to kill.
    ...(process.env.RUNNING_SYSTEM ? [] : ['<rootDir>/test/images/kills']),
  ],
  testSequencer: '<rootDir>/test/runner/longest-first.ts',
  globalSetup: '<rootDir>/packages/test-system/src/global-setup.ts',
  globalTeardown: '<rootDir>/packages/test-system/src/global-teardown.ts',
  // Only what never ends is a failure.
  testTimeout: 600_000,
  modulePathIgnorePatterns: ['<rootDir>/.ops', '<rootDir>/.tools'],
};
