import { expect, test } from '@jest/globals';
import { uuidv7 } from '@ops/test-kit/builders';
import { type Action, byDate, newAction, tighterThan } from './alert-actions.rules.ts';
import { planned } from './planning.rules.ts';

test('an alert is looked at beside those about its own date, not beside all of a night', () => {
  let looks = 0;
  const watched = (action: Action): Action =>
    new Proxy(action, {
      get(of, key) {
        looks += 1;
        return Reflect.get(of, key);
      },
    });
  const alerted = (renewal_id: string) =>
    (['60', '30'] as const).map((rung) => {
      const about = { renewal_id, customer_id: 'C-1', due_date: '2026-04-30', rung, step: '0', does: null };
      const words = { service_label: 'Permit', service_labels: {}, number: null };
      return watched(newAction(uuidv7(), planned('EMAIL', null), { ...about, ...words }));
    });
  const actions = Array.from({ length: 500 }, () => alerted(uuidv7())).flat();
  const decided = byDate(actions);
  looks = 0;
  const tighter = actions.map((one) => [one.rung, tighterThan(one, decided)].join());
  expect(new Set(tighter)).toEqual(new Set(['60,30', '30,']));
  expect(looks).toBeLessThan(20 * actions.length);
});
