// What stands below the label of a question: its help, and what is wrong with the answer.

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
