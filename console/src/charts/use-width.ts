// The width at which a picture is shown, so that its texts have their own size on a phone as on a desk.
import { type RefCallback, useCallback, useState } from 'react';

const LEAST = 200;

/**
 * In CSS pixels, for the `viewBox` of an SVG as wide as its place.
 * @param usual until it is known
 */
export function useWidth(usual: number): readonly [ref: RefCallback<SVGSVGElement>, width: number] {
  const [width, setWidth] = useState(usual);
  const ref = useCallback((element: SVGSVGElement | null) => {
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.max(LEAST, Math.round(entry.contentRect.width)));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
