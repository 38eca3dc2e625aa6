import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { events } from '@ops/contracts/events';
import { communicationType } from '@ops/contracts/resources/communication';
import { writeSecrets } from '@ops/deployment/deployment-secrets';
import { parse } from 'yaml';
import { gatewayConfig } from '../../gateway/src/config.ts';
import { nightlyRefreshConfig } from '../../gateway/src/refresh/nightly-refresh.ts';
import { settingsPages } from '../../packages/ops-ui/src/settings/settings-pages.ts';
import { config as commsConfig } from '../../services/comms-service/src/config.ts';
import { config as notifierConfig } from '../../services/notifier/src/config.ts';
import { config as renewalsConfig } from '../../services/renewals-service/src/config.ts';
import { config as ingestConfig } from '../../services/webhook-ingest/src/config.ts';
import { compose, example } from '../images/compose.ts';
import { readDocument, root } from './document.ts';

const path = 'docs/integrating.md';
const { codes, fences } = readDocument(path);
const text = readFileSync(join(root, path), 'utf8');
const named = (form: RegExp) => [...new Set(codes.flatMap(({ text }) => form.exec(text)?.[1] ?? []))];

let secrets: string;
beforeAll(async () => {
  secrets = await mkdtemp(join(tmpdir(), 'ops-test-secrets-'));
  await writeSecrets(secrets);
});
afterAll(() => rm(secrets, { recursive: true }));

const schemas = [gatewayConfig, nightlyRefreshConfig, commsConfig, notifierConfig, renewalsConfig, ingestConfig];
const settings = [...schemas.flatMap((schema) => Object.keys(schema.shape)), ...Object.keys(example)];
const serviceTypes = ['INSURANCE_POLICY', 'RESIDENCE_PERMIT', 'WORK_PERMIT'];
const otherWords = [...Object.keys(events), ...communicationType.options, ...serviceTypes];

test('each setting that is named is one', () => {
  const words = named(/^([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)$/);
  expect(words.length).toBeGreaterThan(25);
  expect(words.filter((word) => ![...settings, ...otherWords].includes(word))).toEqual([]);
});

test('each secret that is named is a file of its own, and Docker gives it to somebody', async () => {
  const files = [...named(/^secrets\/(\w+)$/), ...named(/^(\w+_client_secret)$/)];
  expect(files.length).toBeGreaterThan(2);
  const made = await readdir(secrets);
  expect(files.filter((file) => !made.includes(file))).toEqual([]);
  const scheduler = 'scheduler_client_secret';
  expect(files.filter((file) => file !== scheduler && !(file in compose.secrets))).toEqual([]);
});

test('a setting marked as a secret has a file by its name in small letters', async () => {
  const made = await readdir(secrets);
  const marked = named(/^((?:MESSAGING_APP|SMS|EMAIL|SMTP)_\w*(?:TOKEN|SECRET|AUTH|KEY|SMTP_URL))$/);
  expect(marked.length).toBeGreaterThan(6);
  expect(marked.map((name) => name.toLowerCase()).filter((name) => !made.includes(name))).toEqual([]);
});

test('each file of the project that is named is there', () => {
  const paths = named(/^((?:k8s|docs|services|packages)\/[\w./-]+)$/);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('each page of the settings that is named is one', () => {
  const pages = [...text.matchAll(/\*\*Settings → ([^*]+)\*\*/g)].map(([, label = '']) => label.replace(/\s+/g, ' '));
  expect(pages.length).toBeGreaterThan(1);
  expect(settingsPages.map(({ label }) => label)).toEqual(expect.arrayContaining(pages));
});

test('what is to stand beside the compose file names its parts', () => {
  const [override] = fences.filter(({ language }) => language === 'yaml').map(({ text }) => parse(text));
  for (const [name, { networks }] of Object.entries<{ networks: string[] }>(override.services)) {
    expect(Object.keys(compose.services)).toContain(name);
    expect(networks.filter((one) => !(one in { ...compose.networks, ...override.networks }))).toEqual([]);
  }
  const languages = new Set(fences.map(({ language }) => language));
  expect([...languages].sort()).toEqual(['js', 'sh', 'yaml']);
});
