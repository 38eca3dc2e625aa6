import { NumberInput, TextInput } from '@mantine/core';
import { api, dataOf } from '../api/client.ts';
import type { ServiceType } from '../api/types.ts';
import { tell } from '../parts/told.tsx';
import { serviceTypesQuery } from '../renewals/service-types.ts';
import { useDraft } from './draft.ts';
import { DraftForm } from './draft-form.tsx';
import { SaveBar } from './save-bar.tsx';
import { OnlyAdmins, useIsAdmin } from './section.tsx';
import classes from './settings.module.css';
import { useSave } from './use-save.ts';

type Described = Pick<ServiceType, 'code' | 'label' | 'renewal_months'>;

const empty: Described = { code: '', label: '', renewal_months: 12 };
/** One that nobody described is called by its code until it has a label. */
const described = ({ code, label, renewal_months, listed }: ServiceType): Described => ({
  code,
  renewal_months,
  label: listed ? label : '',
});

interface ServiceTypeFormProps {
  /** Undefined: a new one. */
  type: ServiceType | undefined;
  all: readonly ServiceType[];
  close(): void;
}

export function ServiceTypeForm({ type, all, close }: ServiceTypeFormProps) {
  const isAdmin = useIsAdmin();
  const draft = useDraft(`service-type:${type?.code ?? ''}`, type ? described(type) : empty, type?.version ?? 0);
  const { code, label, renewal_months } = draft.value;
  const save = useSave({
    draft,
    queryKey: serviceTypesQuery.queryKey,
    send: (body, header) =>
      dataOf(
        api.PUT('/ops/service-types/{code}', {
          params: { path: { code: body.code }, header },
          body: { label: body.label.trim(), renewal_months: body.renewal_months },
        }),
      ),
    saved: (result) => {
      tell(`${result.label} is saved.`);
      close();
    },
  });
  const isTaken = !type && all.some((one) => one.code === code);
  return (
    <DraftForm className={classes.form} draft={draft} save={save} isTaken={isTaken}>
      {!isAdmin && <OnlyAdmins />}
      {!type && (
        <TextInput
          label="Code"
          description="How other systems name it: capital letters, digits and underscores. It never changes."
          placeholder="DRIVING_LICENCE"
          value={code}
          onChange={({ currentTarget }) => draft.write({ code: asCode(currentTarget.value) })}
          error={isTaken ? 'There is one with this code already' : save.field('code')}
          maxLength={64}
        />
      )}
      <TextInput
        label="Label"
        description="What customers and staff read"
        value={label}
        onChange={({ currentTarget }) => draft.write({ label: currentTarget.value })}
        error={save.field('label')}
        readOnly={!isAdmin}
        maxLength={100}
      />
      <NumberInput
        label="Months of the next term"
        description="Left empty: completing one makes no next one by itself."
        value={renewal_months ?? ''}
        onChange={(value) => draft.write({ renewal_months: value === '' ? null : Number(value) })}
        error={save.field('renewal_months')}
        readOnly={!isAdmin}
        allowDecimal={false}
        allowNegative={false}
        clampBehavior="none"
      />
      {isAdmin && (
        <SaveBar
          draft={draft}
          save={save}
          fields={['code', 'label', 'renewal_months']}
          theirs={type && `${type.label}, ${type.renewal_months ?? 'no'} months`}
        />
      )}
    </DraftForm>
  );
}

const asCode = (typed: string): string => typed.toUpperCase().replace(/[^A-Z0-9_]/g, '_');
