import { NativeSelect, Text } from '@mantine/core';
import { languageOf } from '../settings/template-names.ts';
import classes from './composer.module.css';
import { wordsInTemplate } from './template-rules.ts';
import { nameOf, type TemplateChoice } from './use-template.ts';

/** What the customer gets while the messaging app takes no free text. */
export function TemplateSelect({ choice, body }: { choice: TemplateChoice; body: string }) {
  if (choice.state === 'none_needed') return null;
  if (choice.state === 'none_approved')
    return (
      <Text size="sm" role="status">
        No template is approved: nothing can be sent here until the customer writes.
      </Text>
    );
  if (choice.state === 'not_told')
    return (
      <Text size="sm" role="status">
        The templates could not be looked up: the best one for the customer’s language is taken.
      </Text>
    );
  const { templates, chosen, choose } = choice;
  const words = wordsInTemplate(body);
  return (
    <div className={classes.template}>
      <NativeSelect
        size="xs"
        label="Template"
        value={nameOf(chosen)}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        data={templates.map((one) => ({
          value: nameOf(one),
          label: `${one.name} (${languageOf(one.language.replace('_', '-'))})`,
        }))}
      />
      <Text size="xs" c="var(--composer-quiet)" lineClamp={2}>
        {words === ''
          ? 'The customer gets this template with your words in it.'
          : `The customer gets this template with these words in it: “${words}”`}
      </Text>
    </div>
  );
}
