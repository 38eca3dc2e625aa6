import { expect, test } from '@jest/globals';
import { createFaults, faultSettings } from './faults.ts';

const set = (settings: object) => {
  const faults = createFaults();
  faults.set(faultSettings.parse(settings));
  return faults;
};

test('fates come as often as asked, and the same again for the same seed', () => {
  const rates = { fail_rate: 0.1, throttle_rate: 0.05, hang_rate: 0.02, cut_rate: 0.02 };
  const draw = () => {
    const faults = set(rates);
    return Array.from({ length: 10_000 }, () => faults.fate('SMS'));
  };
  const fates = draw();
  expect(draw()).toEqual(fates);
  const share = (fate: string) => fates.filter((one) => one === fate).length / fates.length;
  expect(share('fail')).toBeCloseTo(0.1, 1);
  for (const fate of ['throttle', 'hang', 'cut']) expect(share(fate)).toBeGreaterThan(0.01);
  expect(share('delay')).toBe(0);
});

test('a channel that is not named goes well', () => {
  expect(set({ channels: ['SMS'], fail_rate: 1 }).fate('EMAIL')).toBe('taken');
});

test('disturbed receipts are the same ones: some twice, none when all are dropped', () => {
  const receipts = ['sent', 'delivered', 'read'];
  expect(set({}).disturb(receipts)).toEqual(receipts);
  expect(set({ receipt_duplicate_rate: 1 }).disturb(receipts).sort()).toEqual([...receipts, ...receipts].sort());
  expect(set({ receipt_drop_rate: 1 }).disturb(receipts)).toEqual([]);
  const orders = set({ receipt_reorder_rate: 1 });
  expect(new Set(Array.from({ length: 100 }, () => orders.disturb(receipts).join())).size).toBe(6);
});
