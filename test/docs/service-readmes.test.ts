import { expect, test } from '@jest/globals';
import { type EventSpec, eventRoutes, events } from '@ops/contracts/events';
import { serviceNames } from '@ops/contracts/routes';
import { baseConfig, settingNames } from '@ops/service-kit/config';
import { readDocument } from './document.ts';

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

test.each(serviceNames)('the README of %s lists what it hears and says, and its settings', async (name) => {
  const list = listed(`services/${name}/README.md`);
  const { config } = await import(`../../services/${name}/src/config.ts`);
  const heard = eventRoutes
    .filter(({ queue }) => queue.startsWith(`${name}:`))
    .flatMap(({ type, queue }) => [type, queue]);
  const said = Object.entries<EventSpec>(events).flatMap(([type, { publisher }]) => (publisher === name ? type : []));
  const own = settingNames(config).filter((setting) => !(setting in baseConfig.shape));
  expect({ hears: list('Hears'), says: list('Says'), settings: list('Settings') }).toEqual({
    hears: [...new Set(heard)].sort(),
    says: said.sort(),
    settings: own.sort(),
  });
});
