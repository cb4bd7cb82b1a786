// What is below the label of a question: its help, and what is wrong with the answer.

interface NotesProps {
  /** Of the field; those of the notes begin with it. */
  readonly id: string;
  readonly help?: string | undefined;
  readonly error: string | undefined;
}

export function Notes({ id, help, error }: NotesProps) {
  return (
    <>
      {help !== undefined && (
        <p className="quiet small" id={`${id}-help`}>
          {help}
        </p>
      )}
      {error !== undefined && (
        <p className="bad" id={`${id}-error`}>
          {error}
        </p>
      )}
    </>
  );
}

/** The ids of the notes that are shown, for `aria-describedby`; undefined where there are none. */
export function notesOf({ id, help, error }: NotesProps): string | undefined {
  const ids = [...(help === undefined ? [] : [`${id}-help`]), ...(error === undefined ? [] : [`${id}-error`])];
  return ids.length === 0 ? undefined : ids.join(' ');
}
