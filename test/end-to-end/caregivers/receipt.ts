// The page of a receipt link as a browser without scripts uses it.
export interface ReceiptPage {
  readonly status: number;
  readonly text: string;
}

export interface Receipt {
  readonly token: string;
  /** Sends the page's form with these fields. */
  post(fields: Readonly<Record<string, string>>): Promise<ReceiptPage>;
  /** Opens a form by the guid of its attachment, or `measures`. */
  openForm(form: string): Promise<ReceiptPage>;
}

export function openReceipt(link: string): Receipt {
  const [page = '', token = ''] = link.split('#');
  const post: Receipt['post'] = async (fields) => {
    const body = new URLSearchParams({ token, lang: 'en', ...fields });
    const response = await fetch(page, { method: 'POST', body, headers: { accept: 'text/html' } });
    return { status: response.status, text: await response.text() };
  };
  return { token, post, openForm: (form) => post({ action: 'form', form, go: 'open' }) };
}

const FILLED = [
  /<input type="hidden" name="([^"]+)" value="([^"]*)">/g,
  /<input class="text"[^>]* name="([^"]+)"[^>]* value="([^"]*)"/g,
  /name="([^"]+)" type="radio" value="([^"]*)" checked/g,
];

/** What the page of a form carries along, and what is filled in on it. */
export function filledFields(page: string): Record<string, string> {
  const main = page.slice(page.indexOf('<form id="form"'));
  const found = FILLED.flatMap((field) => [...main.matchAll(field)]);
  return Object.fromEntries(found.reverse().map(([, name = '', value = '']) => [name, value]));
}
