// Which way imports may point. ARCHITECTURE.md says why; `npm test` checks it.

export const tests =
  '\\.test\\.ts$|/conformance/|^test/|^gateway/test/|^(packages|services)/[^/]+/test/|^packages/test-(kit|system)/';
const role = (...names) => `^services/[^/]+/src/.*-(${names.join('|')})\\.ts$`;

/** `task.rules.ts`: what a feature decides, free of clock, database and broker. */
const decisions = '\\.rules\\.ts$';

/** Who has to do with every process: starts them, prepares their database, tries them together. */
const aboveAll = '^packages/(embedded|deployment|test-system)/';
/** What a process shows of itself: its settings, what its schema is made by, its queues. */
const doors = '^(services/[^/]+|gateway)/src/(config|migrations|topology)\\.ts$';

const rule = (name, from, to) => ({ name, severity: 'error', from, to });

export default {
  forbidden: [
    rule('no-cycles', {}, { circular: true }),
    rule('only-what-exists', {}, { couldNotResolve: true }),
    rule(
      'a-service-never-imports-another',
      { path: '^services/([^/]+)/' },
      { path: '^services/', pathNot: '^services/$1/' },
    ),
    rule('the-gateway-has-no-domain', { path: '^gateway/' }, { path: '^services/' }),
    rule('nobody-imports-the-gateway', { path: '^services/' }, { path: '^gateway/' }),
    rule('packages-know-no-process', { path: '^packages/', pathNot: aboveAll }, { path: '^(services|gateway|test)/' }),
    rule('a-process-is-known-by-its-doors', { path: aboveAll }, { path: '^(services|gateway|test)/', pathNot: doors }),
    rule('contracts-stand-alone', { path: '^packages/contracts/' }, { path: '^packages/(?!contracts/)' }),
    rule(
      'the-bus-knows-contracts-only',
      { path: '^packages/bus/', pathNot: tests },
      { path: '^packages/(?!bus/|contracts/)' },
    ),
    rule(
      'the-kit-knows-contracts-and-bus-only',
      { path: '^packages/service-kit/', pathNot: tests },
      { path: '^packages/(?!service-kit/|bus/|contracts/)' },
    ),
    rule(
      'the-world-outside-is-met-through-the-kit',
      { path: '^packages/providers/', pathNot: tests },
      { path: '^packages/(?!providers/|service-kit/|contracts/)' },
    ),
    rule(
      'the-image-that-migrates-holds-no-service',
      { path: '^packages/deployment/', pathNot: tests },
      {
        path: '^(services|gateway|packages)/',
        pathNot: '^packages/(deployment|contracts|service-kit)/|^(services/[^/]+|gateway)/src/migrations\\.ts$',
      },
    ),
    rule(
      'a-list-of-migrations-needs-packages-alone',
      { path: '^(services/[^/]+|gateway)/src/migrations\\.ts$' },
      { pathNot: '^packages/' },
    ),
    rule(
      'what-services-share-knows-contracts-bus-and-kit-only',
      { path: '^packages/(imports|following)/', pathNot: tests },
      { path: '^packages/(?!$1/|service-kit/|bus/|contracts/)' },
    ),
    // No code of tests is in an image either.
    rule('test-code-stays-in-tests', { pathNot: tests }, { path: tests }),
    rule(
      'an-image-holds-what-its-process-loads',
      { path: '^(services|gateway)/', pathNot: tests },
      { path: '^packages/', pathNot: '^packages/(contracts|bus|service-kit|providers|imports|following)/' },
    ),
    rule(
      'an-image-has-what-its-process-depends-on',
      {
        path: '^(services|gateway|packages/(contracts|bus|service-kit|providers|imports|following|deployment))/',
        pathNot: tests,
      },
      { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'only-tests-and-its-own-package-run-the-embedded-parts',
      { pathNot: `${tests}|^packages/(machine|demo|embedded|dev-idp|provider-sim)/` },
      { path: '^packages/(machine|demo|embedded|dev-idp|provider-sim)/' },
    ),
    rule(
      'adapters-are-built-in-one-place',
      { path: '^(services|gateway)/', pathNot: `${tests}|/compose\\.ts$` },
      { path: '^packages/bus/src/(connect\\.ts|rabbitmq/|postgres/)' },
    ),
    rule(
      'what-a-feature-stores-is-its-own',
      { path: '^(services/[^/]+/src)/([^/]+)/', pathNot: tests },
      { path: '^$1/.*-store\\.ts$', pathNot: '^$1/$2/' },
    ),
    rule('a-store-is-at-the-bottom', { path: role('store') }, { path: role('service', 'routes', 'jobs') }),
    rule('a-service-is-called-not-calling', { path: role('service') }, { path: role('routes', 'jobs') }),
    rule('the-edge-goes-through-the-service', { path: role('routes', 'jobs') }, { path: role('store') }),
    rule(
      'decisions-are-pure',
      { path: decisions },
      {
        path: `^packages/(?!contracts/|.+[.]rules[.]ts$)|/node_modules/(knex|pg|express|pino|amqplib)/|${role('service', 'store', 'routes', 'jobs')}`,
      },
    ),
    rule('decisions-do-no-io', { path: decisions }, { dependencyTypes: ['core'], pathNot: '^buffer$' }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/node_modules/\\.cache|^\\.tools|^\\.ops|^packages/ops-ui/dist' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
  },
};
