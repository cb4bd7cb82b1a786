// The name of a part of the library, and the concept that it is about.
import { TextInput } from '@mantine/core';
import { ConceptPicker } from './concept-picker.tsx';

interface NamedConceptProps {
  readonly label: string;
  readonly form: { readonly name: string; readonly concept: string };
  /** The name of the concept that it has. */
  readonly conceptName: string | undefined;
  readonly onChange: (next: { readonly name: string } | { readonly concept: string }) => void;
}

export function NamedConcept({ label, form, conceptName, onChange }: NamedConceptProps) {
  return (
    <>
      <TextInput
        label={label}
        value={form.name}
        maxLength={200}
        onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
      />
      <ConceptPicker value={form.concept} current={conceptName} onChange={(guid) => onChange({ concept: guid })} />
    </>
  );
}
