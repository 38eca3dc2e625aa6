import { expect } from '@jest/globals';
import fc from 'fast-check';
import { history } from './history.ts';
import { Life } from './life.ts';
import type { Written } from './planner.ts';
import { type End, endOf, isOfNight, wrongs, wrongsOfLeft } from './promises.ts';

export interface Lived {
  /** On how many evenings an alert stood how. */
  evenings: Record<End, number>;
  /** `instead`: by another channel; `rewritten`: since one that it named was over or held. */
  messages: { left: number; namingSeveral: number; instead: number; rewritten: number; waited: number };
}

export function liveAll(numRuns: number, seed: number): Lived {
  const evenings = { 'none due': 0, task: 0, reached: 0, 'under way': 0, held: 0, silent: 0, broken: 0 };
  const messages = { left: 0, namingSeveral: 0, instead: 0, rewritten: 0, waited: 0 };
  const property = fc.property(history, (one) => {
    const life = new Life(one);
    life.live(() => {
      const ends = life.registers.map((register) => endOf(life, register));
      for (const end of ends) evenings[end] += 1;
      expect([life.today, ends, wrongs(life)]).toEqual([life.today, ends.filter((end) => end !== 'broken'), []]);
    });
    expect([life.today, wrongsOfLeft(life)]).toEqual([life.today, []]);
    messages.left += life.left.length;
    messages.namingSeveral += life.left.filter(({ message }) => message.named.length > 1).length;
    const again = life.planner.written.filter((one) => !isOfNight(one));
    messages.instead += again.filter((one) => channelBefore(life, one) !== one.channel).length;
    messages.rewritten += again.filter((one) => channelBefore(life, one) === one.channel).length;
    messages.waited += life.left.filter(({ at, since }) => at > since).length;
  });
  fc.assert(property, { numRuns, seed });
  return { evenings, messages };
}

const channelBefore = ({ planner: { written } }: Life, { together }: Written) =>
  written.find(({ record }) => record === together)?.channel;
