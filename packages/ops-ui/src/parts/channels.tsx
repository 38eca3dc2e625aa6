import {
  IconDeviceMobileMessage,
  IconMail,
  IconMessage,
  IconNote,
  IconPhone,
  type TablerIcon,
} from '@tabler/icons-react';
import type { Communication } from '../api/types.ts';

export type CommunicationType = Communication['type'];

export const channelNames: Record<CommunicationType, string> = {
  MESSAGING_APP: 'Messaging app',
  EMAIL: 'E-mail',
  SMS: 'SMS',
  INTERNAL_NOTE: 'Note',
  CALL_LOG: 'Call',
};

/** Somebody did so: the end of a sentence that begins with who. */
export const whatWasWritten: Record<CommunicationType, string> = {
  MESSAGING_APP: 'wrote in the messaging app',
  EMAIL: 'wrote an e-mail',
  SMS: 'wrote an SMS',
  INTERNAL_NOTE: 'wrote a note',
  CALL_LOG: 'called',
};

/** One of its kind, within a sentence. */
export const oneMessage: Record<CommunicationType, string> = {
  MESSAGING_APP: 'message in the messaging app',
  EMAIL: 'e-mail',
  SMS: 'SMS',
  INTERNAL_NOTE: 'note',
  CALL_LOG: 'call',
};

const icons: Record<CommunicationType, TablerIcon> = {
  MESSAGING_APP: IconMessage,
  EMAIL: IconMail,
  SMS: IconDeviceMobileMessage,
  INTERNAL_NOTE: IconNote,
  CALL_LOG: IconPhone,
};

export function ChannelIcon({ type, size = 16 }: { type: CommunicationType; size?: number }) {
  const Icon = icons[type];
  return <Icon size={size} role="img" aria-label={channelNames[type]} />;
}
