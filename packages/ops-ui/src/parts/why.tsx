import { TextInput, type TextInputProps } from '@mantine/core';

interface WhyProps extends Pick<TextInputProps, 'placeholder' | 'onKeyDown'> {
  value: string;
  write(reason: string): void;
  /** It was to be done without a reason. */
  isMissing: boolean;
  /** What the service said of it. */
  refused: string | undefined;
}

/** Whoever decides something of a customer says why. */
export const Why = ({ value, write, isMissing, refused, ...rest }: WhyProps) => (
  <TextInput
    {...rest}
    size="xs"
    autoFocus
    aria-label="Why"
    value={value}
    onChange={({ currentTarget }) => write(currentTarget.value)}
    error={isMissing ? 'Say why.' : refused}
    maxLength={500}
    w={320}
  />
);
