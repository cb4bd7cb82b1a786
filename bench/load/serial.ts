/** In a request it stands for a number of as many digits, another one each time that it is sent. */
export const SERIAL = '#########';
