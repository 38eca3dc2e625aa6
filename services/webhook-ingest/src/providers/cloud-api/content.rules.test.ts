import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { contentOf } from './content.rules.ts';

const flow = (answers: unknown, more: object = {}) => {
  const response_json = typeof answers === 'string' ? answers : JSON.stringify(answers);
  return contentOf({ type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: { response_json, ...more } } });
};
const interactive = (content: object) => contentOf({ type: 'interactive', interactive: content }).body;

describe('a form that was filled in', () => {
  test('is a line for each answer, named as a person would, without what only machines need', () => {
    const { body, parts } = flow(
      {
        flow_token: 'secret-token',
        passport_number: 'X1',
        expiryDate: '2027-05-01',
        screen_0_Full_name_1: 'Ada Demo',
        nationalities: ['GB', 'DE'],
        agreed: true,
        children: 0,
        married: false,
        middle_name: '',
        remarks: null,
        address: { street: '1 High St', city: { name: 'London' } },
      },
      { name: 'flow', body: 'Sent' },
    );
    expect(body.split('\n')).toEqual([
      'Sent',
      'Passport number: X1',
      'Expiry date: 2027-05-01',
      'Full name: Ada Demo',
      'Nationalities: GB, DE',
      'Agreed: yes',
      'Children: 0',
      'Married: no',
      'Address, street: 1 High St',
      'Address, city, name: London',
    ]);
    expect(parts).toEqual([]);
  });

  test('brings its files, several and nested ones too', () => {
    const file = (id: string, more: object = {}) => ({ id, mime_type: 'image/jpeg', sha256: 'x', ...more });
    const { body, parts } = flow({
      passport: [file('790', { file_name: 'pass.jpg' }), file('791')],
      home: { lease: file('792', { mime_type: 'application/pdf', file_name: 'lease.pdf' }) },
    });
    expect(body.split('\n')).toEqual(['Passport: pass.jpg, image/jpeg', 'Home, lease: lease.pdf']);
    expect(parts.map(({ source, role, ref, name, media_type }) => [source, role, ref, name, media_type])).toEqual([
      ['provider', 'file', '790', 'pass.jpg', 'image/jpeg'],
      ['provider', 'file', '791', null, 'image/jpeg'],
      ['provider', 'file', '792', 'lease.pdf', 'application/pdf'],
    ]);
  });

  test('lists what it asked for more than once', () => {
    expect(flow({ children: [{ name: 'Bo', age: 3 }, { name: 'Cy' }, []] }).body.split('\n')).toEqual([
      'Children 1, name: Bo',
      'Children 1, age: 3',
      'Children 2, name: Cy',
    ]);
  });

  test.each([
    ['that is no JSON', 'not json', 'not json'],
    ['of words alone', '"yes"', 'yes'],
    ['without a single answer', '{"flow_token":"t"}', 'Sent something this channel cannot show: interactive'],
    ['of nothing', '', 'Sent something this channel cannot show: interactive'],
  ])('%s', (_, given, body) => {
    expect(flow(given).body).toBe(body);
  });

  test.each([
    ['{"a":', '}'],
    ['[', ']'],
  ])('nested deeper than anybody reads, by %s, is shown as it came', (open, close) => {
    const deep = `${open.repeat(20_000)}"end"${close.repeat(20_000)}`;
    expect(flow(deep)).toEqual({ body: deep, parts: [] });
  });

  test('loses no answer, whatever it is called', () => {
    const answer = fc.string({ minLength: 1 }).filter((text) => text.trim() === text);
    const key = fc.string().filter((name) => name !== 'flow_token' && name !== '__proto__');
    fc.assert(
      fc.property(fc.dictionary(key, answer, { minKeys: 1 }), (answers) => {
        const { body } = flow(answers);
        for (const one of Object.values(answers)) expect(body).toContain(one);
      }),
    );
  });
});

test.each<[string, object, string]>([
  ['a call permission', { call_permission_reply: { response: 'accept' } }, 'Allowed us to call'],
  [
    'one with an end',
    { call_permission_reply: { response: 'accept', expiration_timestamp: 1772355600 } },
    'Allowed us to call until 2026-03-01T09:00Z',
  ],
  ['one refused', { call_permission_reply: { response: 'reject' } }, 'Does not allow us to call'],
  ['one said without a word', { type: 'call_permission_reply' }, 'Answered whether we may call; the answer is missing'],
  [
    'a kind nobody knows yet',
    { type: 'seat_reply', seat_reply: { row: 4, seat: 'A' } },
    'Seat reply, row: 4\nSeat reply, seat: A',
  ],
])('%s', (_, given, body) => {
  expect(interactive(given)).toBe(body);
});

test('a contact is passed on whole, in words and by its parts', () => {
  const contact = {
    name: { formatted_name: 'Bo Demo' },
    org: { company: 'Demo Ltd', department: 'Permits', title: 'Clerk' },
    phones: [{ phone: '+44 7700 900456', type: 'WORK' }],
    emails: [{ email: 'bo@example.com' }],
    addresses: [{ street: '1 High St', city: 'London', zip: 'N1', country: 'UK', type: 'HOME' }],
    urls: [{ url: 'https://example.com' }],
    birthday: '1990-01-31',
  };
  const { body, contacts } = contentOf({ type: 'contacts', contacts: [contact, { name: {} }] });
  expect(contacts).toEqual([
    {
      name: 'Bo Demo',
      organisation: 'Demo Ltd, Permits, Clerk',
      phones: ['+44 7700 900456'],
      emails: ['bo@example.com'],
      addresses: ['1 High St, London, N1, UK'],
      websites: ['https://example.com'],
      birthday: '1990-01-31',
    },
    { name: null, organisation: null, phones: [], emails: [], addresses: [], websites: [], birthday: null },
  ]);
  expect(body.split('\n')).toEqual([
    'Contact: Bo Demo, +44 7700 900456, bo@example.com',
    'Organisation: Demo Ltd, Permits, Clerk',
    'Address: 1 High St, London, N1, UK',
    'Web: https://example.com',
    'Birthday: 1990-01-31',
    'Contact: somebody',
  ]);
});

test('so is one that comes as a vCard alone', () => {
  const vcard = [
    'BEGIN:VCARD',
    'FN:Bo Demo',
    'item1.TEL;TYPE=CELL:+44 7700 900456',
    'TEL:+44 7700 900457',
    'EMAIL;TYPE=INTERNET:bo@exam',
    ' ple.com',
    'ORG:Demo\\, Ltd;Permits',
    'TITLE:Clerk',
    'ADR;TYPE=HOME:;;1 High St;London;;N1;UK',
    'URL:https://example.com',
    'BDAY:1990-01-31',
    'END:VCARD',
  ].join('\r\n');
  expect(contentOf({ type: 'contacts', contacts: [{ vcard }] }).body.split('\n')).toEqual([
    'Contact: Bo Demo, +44 7700 900456, +44 7700 900457, bo@example.com',
    'Organisation: Demo, Ltd, Permits, Clerk',
    'Address: 1 High St, London, N1, UK',
    'Web: https://example.com',
    'Birthday: 1990-01-31',
  ]);
});

test('a place has a map to look at: the one that came along, else the open one', () => {
  const place = (location: object) => contentOf({ type: 'location', location }).body.split('\n').at(-1);
  expect(place({ latitude: 51.5, longitude: -0.1 })).toBe('https://www.openstreetmap.org/?mlat=51.5&mlon=-0.1');
  expect(place({ latitude: 51.5, longitude: 0, url: 'https://maps.example.com/1' })).toBe('https://maps.example.com/1');
  expect(place({ latitude: 'north', longitude: 0 })).toBe('north, 0');
});

test('a place is passed on by its parts as well; coordinates that are none are left to the words', () => {
  const place = (location: object) => contentOf({ type: 'location', location }).place;
  const office = { name: 'Office', address: '1 High St' };
  expect(place({ ...office, latitude: 51.5, longitude: -0.1 })).toEqual({ ...office, latitude: 51.5, longitude: -0.1 });
  expect(place({ latitude: '51.5', longitude: '0' })).toEqual({
    name: null,
    address: null,
    latitude: 51.5,
    longitude: 0,
  });
  expect(place({ ...office, latitude: 91, longitude: 0 })).toEqual({ ...office, latitude: null, longitude: null });
  expect(place({ latitude: 'north', longitude: 0 })).toBeNull();
  expect(contentOf({ type: 'text', text: { body: 'Hello' } })).not.toHaveProperty('place');
});

test('a file that cannot be fetched keeps its caption, and says that it is missing', () => {
  expect(contentOf({ type: 'image', image: { caption: 'My passport' } })).toEqual({
    body: 'My passport\nSent something this channel cannot show: image',
    parts: [],
  });
});
