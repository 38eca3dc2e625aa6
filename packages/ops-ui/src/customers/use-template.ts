import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Customer, MessagingTemplate } from '../api/types.ts';
import { messagingTemplatesQuery } from './template-queries.ts';
import { usualTemplate } from './template-rules.ts';

export type TemplateChoice =
  /** Not asked for, or not known yet. */
  | { state: 'none_needed' }
  | { state: 'none_approved' }
  /** They cannot be told: the service takes one by itself. */
  | { state: 'not_told' }
  | {
      state: 'to_choose';
      templates: readonly MessagingTemplate[];
      chosen: MessagingTemplate;
      choose(name: string): void;
    };

/** A template and its language, in one word. */
export const nameOf = ({ name, language }: MessagingTemplate): string => `${name}:${language}`;

/** Which template is to carry the words, where one has to; until somebody chooses, the one the service would take. */
export function useTemplate({ locale }: Customer, isNeeded: boolean): TemplateChoice {
  const [wanted, setWanted] = useState<string | null>(null);
  const { data: templates, isError } = useQuery({ ...messagingTemplatesQuery, enabled: isNeeded });
  if (!isNeeded) return { state: 'none_needed' };
  if (!templates) return { state: isError ? 'not_told' : 'none_needed' };
  const chosen = templates.find((one) => nameOf(one) === wanted) ?? usualTemplate(templates, locale);
  return chosen ? { state: 'to_choose', templates, chosen, choose: setWanted } : { state: 'none_approved' };
}
