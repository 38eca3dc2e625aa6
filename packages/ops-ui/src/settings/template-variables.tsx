import { Button } from '@mantine/core';
import own from './templates.module.css';

const variables = [
  ['{{name}}', 'The customer’s name'],
  ['{{service}}', 'The label of what is renewed'],
  ['{{due_date}}', 'The day it is due, written out as the customer writes dates'],
  ['{{days}}', 'How many days are left; once it is overdue, how many have passed'],
] as const;

/** What can stand in the words for what differs from customer to customer; a press puts it where the caret is. */
export const TemplateVariables = ({ insert }: { insert(variable: string): void }) => (
  <section aria-labelledby="variables">
    <h3 id="variables" className={own.heading}>
      Put in for each customer
    </h3>
    <ul className={own.variables}>
      {variables.map(([variable, meaning]) => (
        <li key={variable}>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => insert(variable)}
            aria-label={`Insert ${variable}`}
          >
            {variable}
          </Button>
          <span>{meaning}</span>
        </li>
      ))}
    </ul>
  </section>
);
