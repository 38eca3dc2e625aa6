import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createIntake } from './intake-service.ts';

const mostBytes = 100;
const mostOfNetwork = 50;

function world() {
  const intake = createIntake({ mostBytes, mostOfNetwork });
  return (network: string, proven = false) => {
    const body = { network, proven, bytes: 0, whole: false, problem: undefined as unknown };
    const claim = intake.begin({ network, proven, giveUp: (problem) => Object.assign(body, { problem }) });
    return {
      body,
      claim,
      grow(bytes: number) {
        claim.heard();
        body.bytes += bytes;
        claim.grow(bytes);
      },
    };
  };
}

const comeBack = { status: 503, headers: { 'Retry-After': '5' } };

describe('when there is no room', () => {
  test('whoever has been silent longest makes it', () => {
    const begin = world();
    const [first, second, third] = ['a', 'b', 'c'].map((network) => begin(network));
    for (const one of [first, second]) one?.grow(40);
    first?.claim.heard();
    third?.grow(40);
    expect([first, second, third].map((one) => one?.body.problem)).toEqual([
      undefined,
      expect.objectContaining(comeBack),
      undefined,
    ]);
  });

  test('a network makes it among its own once it has more than its share', () => {
    const begin = world();
    const other = begin('other');
    other.grow(40);
    const own = [begin('many'), begin('many')];
    for (const one of own) one.grow(30);
    expect([other, ...own].map(({ body }) => body.problem !== undefined)).toEqual([false, true, false]);
  });

  test('what is whole or was proven is not given up for what is neither', () => {
    const begin = world();
    const [proven, whole, late] = [begin('a', true), begin('b'), begin('c')];
    proven.grow(60);
    whole.grow(40);
    whole.claim.whole();
    late.grow(1);
    expect([proven, whole, late].map(({ body }) => body.problem !== undefined)).toEqual([false, false, true]);
    proven.claim.release();
    const next = begin('c');
    next.grow(50);
    expect(next.body.problem).toBeUndefined();
  });
});

test('whatever comes in whatever order, no more is held than may be, and all room comes back', () => {
  const action = fc.record({
    who: fc.nat({ max: 7 }),
    what: fc.constantFrom('grow', 'grow', 'grow', 'whole', 'release', 'heard'),
    bytes: fc.integer({ min: 1, max: 60 }),
  });
  const networks = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean()), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(networks, fc.array(action, { maxLength: 60 }), (given, actions) => {
      const begin = world();
      const all = given.map(([network, proven]) => begin(network, proven));
      const over = new Set<object>();
      const here = () => all.filter((one) => one.body.problem === undefined && !over.has(one));
      const sum = (bodies: typeof all) => bodies.reduce((bytes, { body }) => bytes + body.bytes, 0);
      for (const { who, what, bytes } of actions) {
        const one = all[who];
        if (!one) continue;
        if (what === 'grow') one.grow(bytes);
        else one.claim[what]();
        if (what === 'whole') one.body.whole = true;
        if (what === 'release') over.add(one);
        expect(sum(here())).toBeLessThanOrEqual(mostBytes);
        for (const network of ['a', 'b', 'c']) {
          const anybody = here().filter(({ body }) => body.network === network && !body.proven && !body.whole);
          expect(sum(anybody)).toBeLessThanOrEqual(mostOfNetwork);
        }
      }
      for (const one of all) one.claim.release();
      const next = begin('d', true);
      next.grow(mostBytes);
      expect(next.body.problem).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});
