// A box that is checked or not, with its label beside it.
interface CheckBoxProps {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

export function CheckBox({ label, isChecked, onChange }: CheckBoxProps) {
  return (
    <label className="choice">
      <input type="checkbox" checked={isChecked} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      {label}
    </label>
  );
}
