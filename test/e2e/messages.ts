import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Attachment, Communication, HistoryEntry } from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';
import type { Unmatched } from '@ops/contracts/resources/unmatched';
import type { NewLetter, Simulator } from '@ops/provider-sim/test/simulator';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { type System, type SystemOptions, sharedSystem } from '@ops/test-system/system';

type Client = Awaited<ReturnType<System['client']>>;

export const messagesGoInAndOut = (bus: SystemOptions['bus']) =>
  describe(`messages go in and out, ${bus} bus`, () => {
    let system: System;
    let staff: Client;
    let outside: Simulator;
    const id = 'C-messages';
    const phone = '+447700900111';
    const email = 'messages@example.com';

    beforeAll(async () => {
      system = await sharedSystem(bus);
      outside = system.simulator;
      staff = await system.client('staff');
      await staff.put(`/ops/customers/${id}`, { name: 'Demo Customer', phones: [phone], emails: [email] });
      await outside.person({ name: 'Demo Customer', phone, email });
    });
    afterAll(() => system?.stop());
    beforeEach(() => outside.faults());

    const log = async (customer = id) =>
      (await staff.get(`/ops/customers/${customer}/communications?limit=200`)).body as {
        data: Communication[];
        unread_count: number;
      };
    const customer = async () => (await staff.get(`/ops/customers/${id}`)).body as Customer;

    /** The record of these words, once it is what is expected of it. */
    const logged = (words: string, expected: object = {}, customer = id) =>
      eventually(async () => {
        const found = (await log(customer)).data.filter(({ body }) => body === words);
        expect(found).toEqual([expect.objectContaining(expected)]);
        return found[0] as Communication;
      });

    /** Those of these words that wait for a person to say whose they are. */
    const unmatched = async (...words: string[]) => {
      const { data } = (await staff.get('/ops/unmatched?limit=200')).body as { data: Unmatched[] };
      return data.filter(({ body }) => words.includes(body ?? ''));
    };

    /** What this person finds with these words in it, once it is there. */
    const arrived = (words: string) =>
      eventually(async () => {
        const found = (await outside.messages(phone)).filter((one) => one.from_firm && one.text.includes(words));
        expect(found).toHaveLength(1);
        return found[0] as (typeof found)[number];
      });

    const write = async (letter: Partial<NewLetter> = {}) => {
      const text = canary();
      return { text, message: await outside.write(phone, { channel: 'MESSAGING_APP', text, ...letter }) };
    };

    const send = async (message: object, customer = id) => {
      const body = canary();
      const path = `/ops/customers/${customer}/communications`;
      const made = await staff.post(path, { type: 'MESSAGING_APP', direction: 'OUTBOUND', body, ...message });
      expect(made.body).toMatchObject({ status: 'QUEUED', direction: 'OUTBOUND' });
      return { body, record: made.body as Communication };
    };

    test('what is typed on the phone is in the log, unread, at the time it was written', async () => {
      const { text, message } = await write();
      const record = await logged(text, {
        type: 'MESSAGING_APP',
        direction: 'INBOUND',
        status: 'RECEIVED',
        unread: true,
      });
      expect(record.provider_message_id).toBe(message.external_id);
      expect(Math.floor(Date.parse(record.occurred_at) / 1000)).toBe(Math.floor(Date.parse(message.at) / 1000));
      expect((await log()).unread_count).toBe(1);
      await staff.patch(`/ops/customers/${id}/communications/read`);
      const timeline = (await staff.get(`/ops/customers/${id}/timeline`)).body as { data: { type: string }[] };
      expect(timeline.data.map(({ type }) => type)).toEqual(['COMMUNICATION_RECEIVED']);
    });

    test('a staff reply shows on the phone, and its ticks in the log; each receipt is kept', async () => {
      const { text, message } = await write();
      const asked = await logged(text);
      const { body, record } = await send({ in_reply_to: asked.id });
      expect(await arrived(body)).toMatchObject({ text: body, reply_to: message.external_id });
      await logged(body, { status: 'DELIVERED' });
      await outside.look(phone, 'MESSAGING_APP');
      await logged(body, { status: 'READ' });
      const history = (await staff.get(`/ops/communications/${record.id}/history`)).body as { data: HistoryEntry[] };
      const told = history.data.filter(({ change }) => change === 'delivery').map(({ details }) => details.status);
      expect(told.sort()).toEqual(['DELIVERED', 'READ', 'SENT']);
    });

    test('an answer names what it answers; a reaction, an edit and a withdrawal belong to their message', async () => {
      const { body, record } = await send({});
      const message = await arrived(body);
      const answer = await write({ reply_to: message.id });
      await logged(answer.text, { in_reply_to: record.id });
      await outside.react(message.id, '👍');
      await logged(body, { reactions: [expect.objectContaining({ emoji: '👍' })] });
      await outside.react(message.id, null);
      await logged(body, { reactions: [] });

      const { unread_count } = await log();
      const better = canary();
      await outside.change(answer.message.id, better);
      await logged(answer.text, { amendments: [expect.objectContaining({ body: better })] });
      await outside.change(answer.message.id, null);
      await logged(answer.text, { amendments: [expect.anything(), expect.objectContaining({ body: null })] });
      expect((await log()).unread_count).toBe(unread_count);
    });

    test.each([
      ['MESSAGING_APP', 'letter.pdf', 'application/pdf'],
      ['SMS', 'photo.jpg', 'image/jpeg'],
      ['EMAIL', 'form.pdf', 'application/pdf'],
    ] as const)('a file comes in by %s', async (channel, name, mediaType) => {
      const bytes = Buffer.from(`the bytes of ${name}`);
      const file = await outside.file(name, mediaType, bytes);
      const { text } = await write({ channel, files: [file] });
      const stored = { attachments: [expect.objectContaining({ state: 'STORED', media_type: mediaType })] };
      const { attachments } = await logged(text, stored);
      const answer = await staff.get(`/ops/attachments/${attachments[0]?.id}`);
      expect(answer.body).toBe(bytes.toString());
      if (channel !== 'SMS') expect(attachments[0]?.name).toBe(name);
    });

    test.each(['MESSAGING_APP', 'EMAIL'] as const)('a file goes out by %s', async (type) => {
      const upload = await staff.request('POST', `/ops/customers/${id}/attachments?name=permit.pdf`, {
        body: Buffer.from('%PDF-1.4 permit'),
        headers: { 'content-type': 'application/pdf' },
      });
      const { body } = await send({ type, attachments: [(upload.body as Attachment).id] });
      const { files } = await arrived(body);
      expect(files).toEqual([expect.objectContaining({ name: 'permit.pdf', media_type: 'application/pdf' })]);
      const content = await fetch(`${outside.url}/sim/files/${files[0]?.id}`);
      expect(await content.text()).toBe('%PDF-1.4 permit');
    });

    test('mails to and fro stay one thread, and what is quoted is folded away', async () => {
      const { body, record } = await send({ type: 'EMAIL', subject: 'Your permit' });
      const mail = await arrived(body);
      expect(mail).toMatchObject({ subject: 'Your permit', mail: { from: 'office@example.com' } });
      await logged(body, { status: 'SENT', provider_message_id: mail.external_id });

      const { text, message } = await write({ channel: 'EMAIL', reply_to: mail.id });
      const answer = await logged(text, { subject: 'Re: Your permit', in_reply_to: record.id, unread: true });
      expect(answer.quoted).toContain(body);

      const again = await send({ type: 'EMAIL', in_reply_to: answer.id });
      expect(await arrived(again.body)).toMatchObject({
        subject: 'Re: Your permit',
        reply_to: message.external_id,
        mail: { references: [mail.external_id, message.external_id] },
      });
    });

    test('an SMS goes both ways', async () => {
      const { body } = await send({ type: 'SMS' });
      await arrived(body);
      await logged(body, { status: 'DELIVERED', provider: 'twilio' });
      const { text } = await write({ channel: 'SMS' });
      await logged(text, { type: 'SMS', direction: 'INBOUND' });
    });

    test.each([
      ['MESSAGING_APP', phone, 131026, 'cloud-api:131026'],
      ['SMS', phone, 30003, 'twilio:30003'],
      ['EMAIL', email, 550, 'smtp:550'],
    ] as const)(
      'a refused and an undeliverable %s say why; sent again, it arrives',
      async (type, address, code, reason) => {
        await outside.faults({ refused: { [address]: code } });
        const refused = await send({ type });
        await logged(refused.body, { status: 'FAILED', failure: expect.objectContaining({ code: reason }) });
        await outside.faults({ undeliverable: { [address]: code, [phone]: code } });
        const lost = await send({ type });
        await logged(lost.body, {
          status: 'FAILED',
          failure: expect.objectContaining({ message: expect.any(String) }),
        });
        const failed = (await staff.get(`/ops/communications/failed?type=${type}`)).body as { data: Communication[] };
        const ours = failed.data.filter(({ customer_id }) => customer_id === id);
        expect(ours.map((one) => one.id)).toEqual([lost.record.id, refused.record.id]);

        await outside.faults();
        for (const { record, body } of [refused, lost]) {
          await staff.post(`/ops/communications/${record.id}/retry`);
          await logged(body, { attempt: 2, failure: null, status: type === 'EMAIL' ? 'SENT' : 'DELIVERED' });
        }
        const attempts = (await outside.journal())
          .filter(({ text }) => text === lost.body)
          .map((one) => one.attempt_id);
        expect(new Set(attempts).size).toBe(2);
      },
    );

    test('somebody unknown waits with all they said until a person says who it is', async () => {
      const stranger = await outside.person({ name: 'Sam Stranger', phone: '+447700900112' });
      const words = [canary(), canary()];
      for (const text of words) await outside.write(stranger.id, { channel: 'SMS', text });
      const waiting = await eventually(async () => {
        const found = await unmatched(...words);
        expect(found.map(({ body }) => body).sort()).toEqual([...words].sort());
        return found;
      });
      await staff.put('/ops/customers/C-stranger', { name: 'Sam Stranger' });
      await staff.post(`/ops/unmatched/${waiting[0]?.id}/link`, { customer_id: 'C-stranger' });
      for (const text of words) await logged(text, { unread: true }, 'C-stranger');
      expect((await log('C-stranger')).unread_count).toBe(2);
      expect(await unmatched(...words)).toEqual([]);

      const after = canary();
      await outside.write(stranger.id, { channel: 'SMS', text: after });
      await logged(after, {}, 'C-stranger');
    });

    test('somebody the messaging app shows no number of is known by the id, and answered', async () => {
      const person = await outside.person({ name: 'Una Username', user_id: 'GB.1349120865530274' });
      const text = canary();
      await outside.write(person.id, { channel: 'MESSAGING_APP', text });
      await staff.put('/ops/customers/C-username', { name: 'Una Username' });
      const waiting = await eventually(async () => {
        const found = await unmatched(text);
        expect(found).toMatchObject([{ sender: { phone: null, user_id: person.user_id } }]);
        return found;
      });
      await staff.post(`/ops/unmatched/${waiting[0]?.id}/link`, { customer_id: 'C-username' });
      const { body } = await send({}, 'C-username');
      await logged(body, { status: 'DELIVERED' }, 'C-username');
      expect((await outside.messages(person.id)).map((one) => one.text)).toEqual([text, body]);
    });

    test('STOP and START are heard: machines fall silent on that channel, people do not', async () => {
      await outside.write(phone, { channel: 'SMS', text: 'Stop' });
      await eventually(async () => expect(await customer()).toMatchObject({ opted_out: ['SMS'] }));
      const automation = await system.client('automation');
      const automatic = { type: 'SMS', direction: 'OUTBOUND', body: canary() };
      await automation.post(`/ops/customers/${id}/communications`, automatic);
      await logged(automatic.body, { status: 'FAILED', failure: expect.objectContaining({ code: 'opted_out' }) });
      await arrived((await send({ type: 'SMS' })).body);
      await outside.write(phone, { channel: 'SMS', text: 'START' });
      await eventually(async () => expect(await customer()).toMatchObject({ opted_out: [] }));
    });

    test('nobody who is not to be contacted is; notes and calls never leave', async () => {
      await staff.put('/ops/customers/C-silent', { name: 'Demo', phones: ['+447700900113'], do_not_contact: true });
      const { body } = await send({}, 'C-silent');
      await logged(
        body,
        { status: 'FAILED', failure: expect.objectContaining({ code: 'do_not_contact' }) },
        'C-silent',
      );
      const note = canary();
      await staff.post(`/ops/customers/${id}/notes`, { body: note });
      const last = await send({});
      await arrived(last.body);
      const journal = (await outside.journal()).map(({ text }) => text);
      expect(journal).not.toContain(body);
      expect(journal).not.toContain(note);
    });

    test('to somebody who never wrote, words go in the template that was chosen; one that is unknown, in none', async () => {
      const [silent, itsPhone] = ['C-template', '+447700900119'];
      await staff.put(`/ops/customers/${silent}`, { name: 'Demo', phones: [itsPhone], locale: 'en' });
      const chosen = await send({ template: { name: 'message_of_your_agent', language: 'de' } }, silent);
      await logged(chosen.body, { status: 'DELIVERED' }, silent);
      const unknown = await send({ template: { name: 'nobody_approved_it', language: 'en' } }, silent);
      const failure = expect.objectContaining({ code: 'template_unknown' });
      await logged(unknown.body, { status: 'FAILED', failure, attempt: 1 }, silent);
      await staff.post(`/ops/communications/${unknown.record.id}/retry`);
      await logged(unknown.body, { status: 'FAILED', failure, attempt: 2 }, silent);
      expect(await outside.messages(itsPhone)).toMatchObject([
        { text: chosen.body, template: 'message_of_your_agent:de' },
      ]);
    });
  });
