import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type EventSpec, eventRoutes, events } from '@ops/contracts/events';
import { serviceNames } from '@ops/contracts/routes';
import { configOf } from '@ops/embedded/deployed';
import { baseConfig, settingNames } from '@ops/service-kit/config';
import type { z } from 'zod';
import { gatewayConfig } from '../../gateway/src/config.ts';
import { nightlyRefreshConfig } from '../../gateway/src/refresh/nightly-refresh.ts';
import { seedConfig } from '../../packages/demo/src/config.ts';
import { config as devIdpConfig } from '../../packages/dev-idp/src/config.ts';
import { startSettings } from '../../packages/embedded/src/settings.ts';
import { config as simulatorConfig } from '../../packages/provider-sim/src/config.ts';
import { readDocument, root } from './document.ts';

/** What stands between backticks below a heading, up to the next one. */
function listed(path: string) {
  const { codes, headings } = readDocument(path);
  return (heading: string) => {
    const at = headings.findIndex(({ text }) => text === heading);
    const [from, until = { line: Number.POSITIVE_INFINITY }] = headings.slice(at);
    const within = codes.filter(({ line }) => from && line > from.line && line < until.line);
    return [...new Set(within.map(({ text }) => text))].sort();
  };
}

/** Besides those of every service. */
const ownSettings = (schema: z.ZodType) => settingNames(schema).filter((setting) => !(setting in baseConfig.shape));

test.each(serviceNames)('the README of %s lists what it hears and says, and its settings', (name) => {
  const list = listed(`services/${name}/README.md`);
  const heard = eventRoutes
    .filter(({ queue }) => queue.startsWith(`${name}:`))
    .flatMap(({ type, queue }) => [type, queue]);
  const said = Object.entries<EventSpec>(events).flatMap(([type, { publisher }]) => (publisher === name ? type : []));
  expect({ hears: list('Hears'), says: list('Says'), settings: list('Settings') }).toEqual({
    hears: [...new Set(heard)].sort(),
    says: said.sort(),
    settings: ownSettings(configOf[name]).sort(),
  });
});

test.each([
  ['gateway', 'Settings', ownSettings(gatewayConfig)],
  ['gateway', 'Nightly refresh', settingNames(nightlyRefreshConfig)],
  ['packages/provider-sim', 'Settings', settingNames(simulatorConfig)],
  ['packages/dev-idp', 'Settings', settingNames(devIdpConfig)],
  ['packages/demo', 'Settings', settingNames(seedConfig)],
  ['packages/embedded', 'Settings', [...settingNames(startSettings), 'OPS_DATA_DIR']],
])('the README of %s lists below "%s" what it is told', (folder, heading, settings) => {
  const list = listed(`${folder}/README.md`)(heading).filter((text) => /^[A-Z][A-Z_]+$/.test(text));
  expect(list).toEqual([...settings].sort());
});

test('the README of the kit names each of its rooms', () => {
  const inside = readdirSync(join(root, 'packages/service-kit/src'), { withFileTypes: true });
  const rooms = inside.filter((one) => one.isDirectory()).map(({ name }) => name);
  expect(listed('packages/service-kit/README.md')('Rooms')).toEqual(rooms.sort());
});
