// A text to search by, which counts when it is sent.
import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';

interface SearchFormProps {
  readonly label: string;
  readonly button: string;
  /** What is searched by now. */
  readonly value: string;
  readonly onSearch: (text: string | undefined) => void;
}

export function SearchForm({ label, button, value, onSearch }: SearchFormProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSearch(typed.trim() === '' ? undefined : typed.trim());
  };
  return (
    <form className="search-form" onSubmit={submit}>
      <TextInput
        type="search"
        label={label}
        value={typed}
        maxLength={200}
        autoComplete="off"
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <Button type="submit" variant="default">
        {button}
      </Button>
    </form>
  );
}
