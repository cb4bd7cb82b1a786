// A text as it is, such as JSON, that scrolls where it is wider than the screen.

export function ScrollText({ text }: { readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <pre className="scroll json" tabIndex={0}>
      {text}
    </pre>
  );
}
