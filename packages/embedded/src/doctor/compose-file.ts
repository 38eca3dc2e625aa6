import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { ProcessName } from '@ops/contracts/routes';
import { prepareDatabaseConfig } from '@ops/deployment/prepare-database';
import { definitionsBy } from '@ops/service-kit/broker-accounts';
import { settingOf } from '@ops/service-kit/config';
import { seeSettings } from '@ops/service-kit/doctor/configuration';
import { type Examined, failed, type Line, ok, warning } from '@ops/service-kit/doctor/finding';
import type { DoctorOptions } from '@ops/service-kit/doctor/options';
import { schemaOf } from '@ops/service-kit/provision';
import { parse } from 'yaml';
import { deployed } from '../deployed.ts';
import { processExamined } from './processes.ts';
import { togetherExamined } from './together.ts';

const root = resolve(import.meta.dirname, '..', '..', '..', '..');

interface ComposeFile {
  services: Record<string, { environment?: Record<string, string> }>;
  secrets?: Record<string, { file: string }>;
}

/** What each process of `docker compose up` would be told. Nobody is asked: their networks are not seen from here. */
export async function composeExamined(options: DoctorOptions, home = root): Promise<Examined[]> {
  const text = await readFile(join(home, 'docker-compose.yml'), 'utf8');
  const dotEnv = await readFile(join(home, '.env'), 'utf8').catch(() => undefined);
  const given = { ...parseEnv(dotEnv ?? ''), ...process.env };
  const composed: ComposeFile = parse(text, { merge: true });
  const settings = Object.fromEntries(deployed.map((name) => [name, environmentOf(composed, name, given, home)]));
  const own = deployed.map((name) => processExamined(name, settings[name] ?? {}, options, ['--settings-only']));
  const onCall = await onCallLines(given, home);
  const checks = [...(dotEnv === undefined ? [noDotEnv] : dotEnvLines(dotEnv, text)), ...onCall, insideLine];
  const told = environmentOf(composed, 'migrate', given, home);
  const migrate = { process: 'migrate', checks: migrateLines(told, settings) };
  const rabbitmq = { process: 'rabbitmq', checks: await rabbitmqLines(settings, home) };
  const processes = [...(await Promise.all(own)), migrate, rabbitmq, await togetherExamined(settings)];
  return [{ process: 'docker-compose.yml', checks }, ...processes];
}

/** Alerts that reach nobody look as if all were well. */
async function onCallLines(given: NodeJS.ProcessEnv, home: string): Promise<Line[]> {
  if (!(given.COMPOSE_PROFILES ?? '').split(',').includes('monitoring')) return [];
  const own = given.ALERTMANAGER_CONFIG;
  const file = own ?? 'secrets/alert_webhook_url';
  const text = await readFile(resolve(home, file), 'utf8').catch(() => '');
  if (text.trim() !== '') return [ok('who is told', `of alerts: as ${file} says`)];
  const said = own ? `${own} is not there, or empty` : 'nobody: secrets/alert_webhook_url is empty';
  return [warning('who is told', said, 'say who is on call: docs/compose.md, "Monitoring"')];
}

/** It sets the passwords with which the processes will come. */
function migrateLines(told: NodeJS.ProcessEnv, settings: Readonly<Record<string, NodeJS.ProcessEnv>>): Line[] {
  const names = Object.keys(schemaOf) as ProcessName[];
  const passwords = names.map((name) => passwordLine(name, told, settings[name] ?? {}));
  return [
    ...seeSettings('migrate', prepareDatabaseConfig, told).lines,
    ...passwords.filter((line) => line !== undefined),
  ];
}

function passwordLine(name: ProcessName, told: NodeJS.ProcessEnv, own: NodeJS.ProcessEnv): Line | undefined {
  const [schema, setting] = [schemaOf[name], `${schemaOf[name].toUpperCase()}_DATABASE_PASSWORD`];
  const url = settingOf('DATABASE_URL', own, []);
  const password = settingOf(setting, told, []);
  if (!url || !password || !URL.canParse(url) || decodeURIComponent(new URL(url).password) === password)
    return undefined;
  const fix = `remove secrets/${schema}_database_url, then npm run secrets`;
  return failed('passwords', `${setting} is not the one in DATABASE_URL of ${name}`, fix);
}

/** It makes the accounts by which the processes will come, with the rights that this version wants. */
async function rabbitmqLines(settings: Readonly<Record<string, NodeJS.ProcessEnv>>, home: string): Promise<Line[]> {
  const addresses = deployed.map((name) => settingOf('AMQP_URL', settings[name] ?? {}, []) ?? '');
  const users = addresses.map((one) => (URL.canParse(one) ? new URL(one) : undefined));
  // Whoever makes accounts of other names also says what they may do.
  if (users.some((user, index) => user?.username !== deployed[index])) return [];
  const wanted = await definitionsBy(async (name) => decodeURIComponent(users[deployed.indexOf(name)]?.password ?? ''));
  const file = 'secrets/rabbitmq_definitions.json';
  const told = await readFile(join(home, file), 'utf8').catch(() => '');
  if (told.trimEnd() === JSON.stringify(wanted)) return [ok('accounts', `those by which the processes come: ${file}`)];
  const said = `${file} is not what this version and the processes' addresses want`;
  const fix = 'npm run secrets; if it stays so, remove secrets/*_amqp_url first: docs/compose.md, "Secrets"';
  return [failed('accounts', said, fix)];
}

const noDotEnv = failed('.env', 'is not there', 'cp .env.example .env, and change what stands in it: docs/compose.md');

const insideLine = ok(
  'the rest',
  'is seen from inside: docker compose exec gateway node gateway/src/doctor.ts; see docs/compose.md',
);

/** What stands in `.env` and means nothing to the compose file is most likely misspelt. */
function dotEnvLines(dotEnv: string, composeText: string): Line[] {
  const meant = new Set([...composeText.matchAll(/\$\{(\w+)/g)].map(([, name]) => name));
  const names = Object.keys(parseEnv(dotEnv)).filter((name) => !name.startsWith('COMPOSE_'));
  const unknown = names.filter((name) => !meant.has(name));
  const lines = unknown.map((name) =>
    warning('.env', `${name} means nothing to docker-compose.yml`, 'see .env.example for the names, or remove it'),
  );
  return lines.length > 0 ? lines : [ok('.env', `${names.length} settings, all known`)];
}

function environmentOf(
  { services, secrets = {} }: ComposeFile,
  name: string,
  given: NodeJS.ProcessEnv,
  home: string,
): Record<string, string> {
  const environment = Object.entries(services[name]?.environment ?? {});
  return Object.fromEntries(
    environment.map(([setting, value]) => [setting, onThisMachine(filledIn(String(value), given), secrets, home)]),
  );
}

/** `${NAME}`, `${NAME:-default}` and `${NAME:?what to do}`; what is missing stays empty, and its process says so. */
const filledIn = (value: string, given: NodeJS.ProcessEnv) =>
  value.replaceAll(
    /\$\{(\w+)(?::(-|\?)([^}]*))?\}/g,
    (_, name, kind, rest = '') => given[name] || (kind === '-' ? rest : ''),
  );

/** Where the file of a secret lies before it is mounted. */
function onThisMachine(value: string, secrets: Record<string, { file: string }>, home: string): string {
  const [, name = ''] = /^\/run\/secrets\/(.+)$/.exec(value) ?? [];
  const file = secrets[name]?.file;
  return file ? resolve(home, file) : value;
}
