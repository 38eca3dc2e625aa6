import { expect, test } from '@jest/globals';
import type { Renewal } from '@ops/contracts/resources/renewal';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { inDays, type Office } from './renewal-office.ts';

/** "60: outreach sequence begins", as it is installed: a message by e-mail, one by the messaging app, else SMS, and a call. */
export function outreachBegins({ system, introduce, watch, refresh, daysPass, ...office }: Office): void {
  const { detail, tasks, arrived, nothingMoves, stopMessagingApp } = office;

  /** A week later. */
  async function nextWeek(...renewals: Renewal[]): Promise<void> {
    await nothingMoves();
    for (const renewal of renewals) await daysPass(renewal, 7);
    await refresh();
  }

  const stepsOf = async (renewal: Renewal) =>
    (await detail(renewal)).sequence?.steps.map(({ step, state, because }) => [step, state, because]);

  test('at 60 days the outreach begins: phone and mailbox, a mail a week later, and nothing once the customer answered', async () => {
    const customer = await introduce();
    const renewal = await watch(customer, 60);
    await refresh();
    const alert = await arrived(customer, 2);
    expect(alert.map(({ channel }) => channel).toSorted()).toEqual(['EMAIL', 'MESSAGING_APP']);
    expect(await detail(renewal)).toMatchObject({ sequence: { rung: '60', ended: null } });
    expect(await stepsOf(renewal)).toEqual(['1', '2', '3'].map((step) => [step, 'TO_COME', null]));
    const morning = {
      send_after: expect.any(String),
      send_after_reason: expect.objectContaining({ code: 'quiet_hours' }),
    };
    expect((await detail(renewal)).to_come.map(({ rung, step, on, leaves }) => [rung, step, on, leaves])).toEqual([
      ['60', '1', inDays(7), morning],
      ['60', '2', inDays(14), morning],
      ['60', '3', inDays(21), null],
      ['30', '0', inDays(30), morning],
      ['14', '0', inDays(46), morning],
      ['7', '0', inDays(53), morning],
      ['OVERDUE', '0', inDays(61), morning],
    ]);

    await nextWeek(renewal);
    const mail = (await arrived(customer, 3)).filter(({ id }) => !alert.some((one) => one.id === id));
    expect(mail).toMatchObject([{ channel: 'EMAIL', text: expect.stringContaining('days left: 53') }]);
    expect(await stepsOf(renewal)).toEqual([
      ['1', 'FIRED', null],
      ['2', 'TO_COME', null],
      ['3', 'TO_COME', null],
    ]);

    await system().simulator.write(customer.phone, {
      channel: 'EMAIL',
      text: canary(),
      reply_to: mail[0]?.id as string,
    });
    const stopped = [
      ['1', 'FIRED', null],
      ['2', 'ENDED', 'answered'],
      ['3', 'ENDED', 'answered'],
    ];
    await eventually(async () => expect(await stepsOf(renewal)).toEqual(stopped));
    expect(await detail(renewal)).toMatchObject({ hold: { because: 'answered' }, sequence: { ended: 'answered' } });
    for (const _week of ['second', 'third']) await nextWeek(renewal);
    await nothingMoves();
    await arrived(customer, 3);
    expect(await tasks(renewal)).toEqual([]);
    expect(await stepsOf(renewal)).toEqual(stopped);
  });

  test('while nobody answers: a mail, then the messaging app, or SMS for who wants none there, then somebody is to call', async () => {
    const [customer, byText] = [await introduce(), await introduce()];
    await stopMessagingApp(byText);
    const renewals = [await watch(customer, 60), await watch(byText, 60)] as const;
    await refresh();
    const channelsOf = async (one: typeof customer, number: number) =>
      (await arrived(one, number)).map(({ channel }) => channel).toSorted();
    expect(await channelsOf(customer, 2)).toEqual(['EMAIL', 'MESSAGING_APP']);
    expect(await channelsOf(byText, 2)).toEqual(['EMAIL', 'SMS']);
    await nextWeek(...renewals);
    expect(await channelsOf(customer, 3)).toEqual(['EMAIL', 'EMAIL', 'MESSAGING_APP']);
    expect(await channelsOf(byText, 3)).toEqual(['EMAIL', 'EMAIL', 'SMS']);
    await nextWeek(...renewals);
    expect(await channelsOf(customer, 4)).toEqual(['EMAIL', 'EMAIL', 'MESSAGING_APP', 'MESSAGING_APP']);
    expect(await channelsOf(byText, 4)).toEqual(['EMAIL', 'EMAIL', 'SMS', 'SMS']);
    for (const renewal of renewals) expect(await tasks(renewal)).toEqual([]);
    await nextWeek(...renewals);
    const call = { priority: 'NORMAL', status: 'OPEN', rung: '60', title: expect.stringMatching(/^Call: /) };
    for (const renewal of renewals) {
      await eventually(async () => expect(await tasks(renewal)).toMatchObject([call]));
      expect(await stepsOf(renewal)).toEqual(['1', '2', '3'].map((step) => [step, 'FIRED', null]));
    }
    await nextWeek(...renewals);
    await nothingMoves();
    await arrived(customer, 4);
    await arrived(byText, 4);
  });
}
