import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { generateSecrets, publicKeySet, type SystemSecrets } from '@ops/embedded/secrets';

/** Prints Secrets for `kubectl apply -f -`, each value made up anew: docs/kubernetes.md says which, and who makes the others. */
const usage =
  'usage: make-secrets.ts --database HOST:PORT/NAME [--demo]   (--demo: those of the simulated outside as well)';

type Values = Record<string, string>;

/** What the processes know each other and the database by. */
const own = (secrets: SystemSecrets, database: string): Record<string, Values> => ({
  'ops-database': Object.assign({}, ...schemas.map((schema) => databaseValues(schema, secrets, database))),
  'ops-internal': {
    'public-keys': publicKeySet(secrets),
    'session-secret': secrets.session,
    ...Object.fromEntries(Object.entries(secrets.keys).map(([name, key]) => [name, JSON.stringify(key.private)])),
  },
});

const schemas = ['comms', 'renewals', 'ingest', 'notifier'] as const;

function databaseValues(schema: (typeof schemas)[number], secrets: SystemSecrets, database: string): Values {
  const name = schema.toUpperCase();
  const password = secrets.database[schema];
  return {
    [`${name}_DATABASE_PASSWORD`]: password,
    [`${name}_DATABASE_URL`]: `postgres://${nameOf(database)}_${schema}:${password}@${database}`,
  };
}

const nameOf = (database: string) => database.slice(database.indexOf('/') + 1);

const random = () => randomBytes(32).toString('base64url');

/** What a firm has from its identity provider, its messaging providers and the operators of its servers. */
const demo = (providers: SystemSecrets['providers'], database: string): Record<string, Values> => ({
  'postgres-app': administrator(random(), database),
  'rabbitmq-default-user': broker(random()),
  'ops-oidc': {
    'gateway-client-secret': random(),
    'scheduler-client-secret': random(),
    'token-client-secret': random(),
  },
  'ops-providers': {
    MESSAGING_APP_ACCESS_TOKEN: providers.messagingAppToken,
    MESSAGING_APP_APP_SECRET: providers.messagingAppSecret,
    MESSAGING_APP_VERIFY_TOKEN: providers.messagingAppVerify,
    SMS_AUTH_TOKEN: providers.sms,
    SMTP_URL: 'smtp://provider-sim:2525',
    EMAIL_POSTMARK_BASIC_AUTH: `postmark:${providers.email}`,
    EMAIL_MAILGUN_SIGNING_KEY: providers.email,
    EMAIL_SENDGRID_BASIC_AUTH: `sendgrid:${providers.email}`,
    EMAIL_MIME_BASIC_AUTH: `mime:${providers.email}`,
  },
});

const administrator = (password: string, database: string) => ({
  password,
  uri: `postgres://ops_admin:${password}@${database}`,
});

const broker = (password: string) => ({
  ...{ username: 'ops', password },
  connection_string: `amqp://ops:${password}@rabbitmq:5672`,
});

const { values } = parseArgs({ options: { database: { type: 'string' }, demo: { type: 'boolean' } } });
if (!values.database || !nameOf(values.database)) throw new Error(usage);
const secrets = generateSecrets();
const all = { ...own(secrets, values.database), ...(values.demo && demo(secrets.providers, values.database)) };
const items = Object.entries(all).map(([name, stringData]) => ({
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name } },
  stringData,
}));
console.log(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2));
