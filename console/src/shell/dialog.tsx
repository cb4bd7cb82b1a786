// A dialog of the browser itself: it takes the focus, keeps it, and gives it back.
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Called when it is closed by the keyboard; without it the dialog stays. */
  readonly onClose?: (() => void) | undefined;
}

export function Dialog({ title, children, onClose }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // It is closed while it is still in the page: what is removed from it gives no focus back.
  useLayoutEffect(() => {
    const dialog = element.current;
    if (dialog !== null && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
    >
      <h2 id={id} className="dialog-title">
        {title}
      </h2>
      {children}
    </dialog>
  );
}
