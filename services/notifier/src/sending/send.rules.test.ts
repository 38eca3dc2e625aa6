import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hear, isNews, type News, type Send } from './send.rules.ts';

const send: Send = {
  id: '0197a3f0-0000-7000-8000-000000000001',
  communication_id: '0197a3f0-0000-7000-8000-000000000002',
  attempt: 1,
  customer_id: 'C-1',
  type: 'SMS',
  provider: 'twilio',
  status: 'QUEUED',
  failure: null,
  provider_message_id: null,
  told: [],
};

const statuses = ['CANCELLED', 'UNCERTAIN', 'SENT', 'FAILED', 'DELIVERED', 'READ'] as const;

const newsOf = (status: News['status']): News => ({
  status,
  failure: status === 'FAILED' || status === 'UNCERTAIN' ? { code: status, message: 'No' } : null,
  provider_message_id: status === 'UNCERTAIN' ? null : 'SM1',
  at: new Date('2026-03-01T10:00:00Z'),
});

const after = (...heard: News['status'][]) => heard.map(newsOf).reduce(hear, send);

test.each([
  [['SENT', 'DELIVERED', 'READ'], 'READ'],
  [['READ', 'DELIVERED', 'SENT'], 'READ'],
  [['FAILED', 'SENT'], 'FAILED'],
  [['SENT', 'FAILED'], 'FAILED'],
  [['FAILED', 'DELIVERED'], 'DELIVERED'],
  [['UNCERTAIN', 'SENT'], 'SENT'],
  [['UNCERTAIN', 'FAILED'], 'FAILED'],
  [['SENT', 'UNCERTAIN'], 'SENT'],
  [['SENT', 'CANCELLED'], 'SENT'],
] as const)('%j leaves it %s', (heard, status) => {
  expect(after(...heard)).toMatchObject({ status, failure: status === 'FAILED' ? { code: 'FAILED' } : null });
});

test('in whatever order and however often it is heard, the end is the same', () => {
  const heard = fc.array(fc.constantFrom(...statuses), { maxLength: 12 });
  fc.assert(
    fc.property(heard, fc.infiniteStream(fc.nat()), (all, chance) => {
      const shuffled = all.map((one) => ({ one, key: chance.next().value })).toSorted((a, b) => a.key - b.key);
      const [inOrder, mixed] = [after(...all), after(...shuffled.map(({ one }) => one), ...all)];
      expect({ ...mixed, told: [...mixed.told].toSorted() }).toEqual({
        ...inOrder,
        told: [...inOrder.told].toSorted(),
      });
    }),
  );
});

test('the status never falls, and each status is news once', () => {
  const rank = ['QUEUED', ...statuses];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...statuses)), (all) => {
      let known = send;
      let told = 0;
      for (const news of all.map(newsOf)) {
        if (isNews(known, news)) told++;
        const next = hear(known, news);
        expect(rank.indexOf(next.status)).toBeGreaterThanOrEqual(rank.indexOf(known.status));
        known = next;
      }
      expect(told).toBe(new Set(all).size);
    }),
  );
});
