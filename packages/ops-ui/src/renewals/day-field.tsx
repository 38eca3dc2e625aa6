import { TextInput } from '@mantine/core';
import { useEffect, useRef } from 'react';

/** As the service takes them. */
const [firstDay, lastDay] = ['1900-01-01', '2199-12-31'];

interface DayFieldProps {
  label: string;
  value: string;
  choose(day: string): void;
}

/** A day; one that is typed half is left alone until it is one. */
export function DayField({ label, value, choose }: DayFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (field.current && field.current.value !== value) field.current.value = value;
  }, [value]);
  return (
    <TextInput
      ref={field}
      type="date"
      min={firstDay}
      max={lastDay}
      onChange={({ currentTarget: { value: typed, validity } }) => typed !== '' && validity.valid && choose(typed)}
      aria-label={label}
    />
  );
}
