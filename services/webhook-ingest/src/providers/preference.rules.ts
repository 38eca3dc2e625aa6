import { type Item, type MessageData, usual } from './provider.ts';

type Preference = Pick<
  MessageData,
  'provider' | 'account' | 'channel' | 'external_id' | 'occurred_at' | 'sender_key' | 'sender' | 'opted_out'
>;

/** Whether machines may write to somebody, as they told the provider instead of us. `about`: the message of ours that led to it. */
export const preferenceItem = (told: Preference, about: readonly string[] = []): Item => ({
  message: {
    ...usual,
    claimed_at: null,
    ...told,
    kind: 'preference',
    recipient: null,
    subject: null,
    body: '',
    parts: [],
    answers: { external_ids: [...about], token: null },
    target_external_id: null,
    emoji: null,
    new_identity: null,
    automatic: false,
  },
});
