// A form that adds to the library: its fields, why it failed, and its button.
import { Button } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { LibraryFailure } from './change/library-failure.tsx';
import type { useAdd } from './use-add.ts';

interface AddFormProps<Body extends object> {
  readonly title: string;
  readonly add: Pick<ReturnType<typeof useAdd<Body>>, 'error' | 'isPending' | 'mutate'>;
  /** What is sent. */
  readonly body: Body;
  readonly isReady: boolean;
  readonly button: string;
  /** Whether the tab has another form that is used more often. */
  readonly isSecond?: boolean;
  /** The fields. */
  readonly children: ReactNode;
}

export function AddForm<Body extends object>(props: AddFormProps<Body>) {
  const { title, add, body, isReady, button, isSecond = false, children } = props;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(body);
  };
  return (
    <form className="card" onSubmit={submit}>
      <h3>{title}</h3>
      {children}
      {add.error !== null && <LibraryFailure error={add.error} />}
      <p className="actions">
        <Button type="submit" variant={isSecond ? 'default' : 'filled'} disabled={!isReady} loading={add.isPending}>
          {button}
        </Button>
      </p>
    </form>
  );
}
