// Función personalizada de Google Sheets sobre la API de cuota. README.md explica cómo instalarla.
// A custom function of Google Sheets over the API of cuota. README.md says how to install it.

/**
 * Bounds of one formula and one request. Apps Script allows addresses of 2 kB, and six hours and 1,000 values of cache.
 * Waits are in seconds.
 */
const LIMITS_ = {
  ids: 1000,
  compared: 500,
  between: 150,
  attempts: 4,
  waitSeconds: 5,
  cacheSeconds: 21600,
  batchSeconds: 600,
};

/** Words of the second argument, and the windows and attributes of the API that they stand for. */
const WINDOWS_ = new Map([
  ['1m', '1m'],
  ['3m', '3m'],
  ['6m', '6m'],
  ['1y', '1y'],
  ['1a', '1y'],
  ['ytd', 'ytd'],
  ['3y_ann', '3y_ann'],
  ['3a', '3y_ann'],
  ['5y_ann', '5y_ann'],
  ['5a', '5y_ann'],
  ['last_closed_month', 'last_closed_month'],
  ['mes', 'last_closed_month'],
]);
const ATTRIBUTES_ = new Map([
  ['tac', 'tac'],
  ['precio', 'price'],
  ['quota', 'price'],
  ['cuota', 'price'],
  ['nombre', 'fundName'],
]);

const REASONS_ = {
  no_complete_cutoff: 'ningún día está completo todavía',
  no_closed_month: 'todavía no hay un mes completo',
  missing_end_quote: 'no hay valor cuota al final',
  invalid_end_quote: 'el valor cuota del final no es válido',
  stale_end_quote: 'el último valor cuota es demasiado antiguo',
  missing_start_quote: 'no hay valor cuota al inicio',
  invalid_start_quote: 'el valor cuota del inicio no es válido',
  stale_start_quote: 'el valor cuota del inicio es demasiado antiguo',
  unknown_currency: 'no se conoce la moneda',
  currency_change: 'la moneda cambió en el período',
  known_discontinuity: 'hay un salto conocido del valor cuota en el período',
  non_finite_return: 'el cálculo no da un número',
};

/**
 * Rentabilidad, costo, valor cuota o nombre de series de fondos, según la API de cuota.
 *
 * @param {"1161378270"} serie Id de la serie, o un rango de ids.
 * @param {"1y"} dato 1m, 3m, 6m, 1y, ytd, 3y_ann, 5y_ann o last_closed_month para la rentabilidad como fracción; tac,
 *   precio o nombre; o el primer día de un período.
 * @param {"2025-01-01"} hasta El último día del período.
 * @return El dato de la serie; de un rango, el de cada celda.
 * @customfunction
 */
function CUOTA(serie, dato, hasta) {
  const asked = question_(dato, hasta);
  if (!Array.isArray(serie)) {
    const answer = answers_([idOf_(serie)], asked)[0];
    if (answer.error) throw new Error(answer.error);
    return answer.value;
  }
  // One bad cell leaves the others of a range as they are: its text stands in its place.
  const cells = serie.flat().map((cell) => {
    if (cell === '') return { value: '' };
    try {
      return { id: idOf_(cell) };
    } catch (error) {
      return { value: error.message };
    }
  });
  const ids = [...new Set(cells.filter((cell) => cell.id).map((cell) => cell.id))];
  if (ids.length > LIMITS_.ids)
    throw new Error(`Un rango puede tener ${LIMITS_.ids} series como máximo, y este tiene ${ids.length}.`);
  const found = new Map(answers_(ids, asked).map((answer, i) => [ids[i], answer.error || answer.value]));
  const values = cells.map((cell) => (cell.id ? found.get(cell.id) : cell.value));
  return serie.map((row) => values.splice(0, row.length));
}

/** Reads the second and the third argument: {window}, {attribute}, or {from, to}. */
function question_(what, to) {
  const from = dayOf_(what);
  if (from) {
    const until = dayOf_(to);
    if (!until) throw new Error('Falta el último día del período, como en "2024-01-01";"2025-01-01".');
    return { from, to: until };
  }
  if (to !== undefined && to !== '') throw new Error('El primer día del período se escribe como 2024-01-01.');
  const name = String(what === undefined ? '' : what)
    .trim()
    .toLowerCase();
  if (WINDOWS_.has(name)) return { window: WINDOWS_.get(name) };
  if (ATTRIBUTES_.has(name)) return { attribute: ATTRIBUTES_.get(name) };
  const words = [...WINDOWS_.keys(), ...ATTRIBUTES_.keys()].join(', ');
  throw new Error(`No existe el dato "${name.slice(0, 50)}". Use ${words}, o dos días.`);
}

/** Returns the day that a text or a cell with a date names, and '' if it names none. */
function dayOf_(value) {
  if (Object.prototype.toString.call(value) === '[object Date]') {
    return Utilities.formatDate(value, SpreadsheetApp.getActive().getSpreadsheetTimeZone(), 'yyyy-MM-dd');
  }
  const text = String(value === undefined ? '' : value).trim();
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : '';
}

function idOf_(cell) {
  const id = String(cell === undefined ? '' : cell).trim();
  if (!/^0*\d{1,10}$/.test(id) || Number(id) > 4294967295) {
    throw new Error(`"${id.slice(0, 50)}" no es el id de una serie, que es un número, como 1161378270.`);
  }
  return String(Number(id));
}

/** Answers a question for each id, as {value} or as {error}, a text in Spanish. */
function answers_(ids, asked) {
  if (ids.length === 0) return [];
  const kind = asked.from ? `${asked.from}:${asked.to}` : 'now';
  const facts = withBatch_((batch) =>
    cached_(
      batch,
      kind,
      ids,
      asked.from ? (some) => periodReturns_(batch, some, asked) : (some) => presentFacts_(batch, some),
    ),
  );
  return facts.map((fact, i) => {
    if (!fact) return { error: `No hay una serie ${asked.from ? '' : 'vigente '}con el id ${ids[i]}.` };
    const { value, reason } = valueOf_(fact, asked);
    if (value !== null && value !== undefined) return { value };
    return { error: `Sin dato: ${REASONS_[reason] || reason || 'la serie no lo tiene'}.` };
  });
}

/** Picks the value that a question asks for, and the reason if there is none. */
function valueOf_(fact, asked) {
  if (asked.from) return fact;
  if (asked.window) return fact.returns.periods[asked.window];
  return { value: fact[asked.attribute] };
}

/** Does work with the current batch, and once more if it is gone. All cells show the same one for some minutes. */
function withBatch_(work) {
  const cache = CacheService.getScriptCache();
  const remember = (batch) => {
    cache.put('batch', batch, LIMITS_.batchSeconds);
    return batch;
  };
  try {
    return work(cache.get('batch') || remember(ask_('/api/batches?limit=1').data[0].id));
  } catch (error) {
    if (!error.currentBatch) throw error;
    return work(remember(error.currentBatch));
  }
}

/** Returns the facts of each id from the cache, and asks for those that it does not have. null: the id is unknown. */
function cached_(batch, kind, ids, ask) {
  const cache = CacheService.getScriptCache();
  const keyOf = (id) => `${batch}:${kind}:${id}`;
  const kept = cache.getAll(ids.map(keyOf));
  const missing = ids.filter((id) => kept[keyOf(id)] === undefined);
  if (missing.length > 0) {
    const found = ask(missing);
    const more = {};
    for (const id of missing) more[keyOf(id)] = JSON.stringify(found.get(id) || null);
    cache.putAll(more, LIMITS_.cacheSeconds);
    Object.assign(kept, more);
  }
  return ids.map((id) => JSON.parse(kept[keyOf(id)]));
}

/** Returns names, cost, price and returns of series by every id that finds them. */
function presentFacts_(batch, ids) {
  const windows = [...new Set(WINDOWS_.values())].map((name) => `returns.periods.${name}`);
  const fields = [
    'fundName',
    'price',
    'tac',
    'seriesContinuity.aliasIds',
    ...windows.flatMap((name) => [`${name}.value`, `${name}.reason`]),
  ].join(',');
  return inParts_(ids, LIMITS_.compared, (series) =>
    ask_(`/api/compare?batch_id=${encodeURIComponent(batch)}`, { series, fields }),
  );
}

function periodReturns_(batch, ids, { from, to }) {
  const query = `from=${from}&to=${to}&batch_id=${encodeURIComponent(batch)}`;
  const found = inParts_(ids, LIMITS_.between, (series) => ask_(`/api/returns?${query}&series=${series.join(',')}`));
  // A return has only the current id of its series. A comparison knows the earlier ones.
  const earlier = ids.filter((id) => !found.has(id));
  const named = inParts_(earlier, LIMITS_.compared, (series) =>
    ask_(`/api/compare?batch_id=${encodeURIComponent(batch)}`, { series, fields: 'serieId,seriesContinuity.aliasIds' }),
  );
  for (const id of earlier) {
    const current = named.get(id);
    if (current && found.has(current.serieId)) found.set(id, found.get(current.serieId));
  }
  return found;
}

/** Asks for a part of the ids at a time, and once more without those that the service does not know. */
function inParts_(ids, size, ask) {
  const found = new Map();
  for (let start = 0; start < ids.length; start += size) {
    let part = ids.slice(start, start + size);
    let reply = null;
    try {
      reply = ask(part);
    } catch (error) {
      if (!error.unknown) throw error;
      part = part.filter((id) => !error.unknown.includes(id));
      if (part.length > 0) reply = ask(part);
    }
    for (const { id, attributes } of reply ? reply.data : []) {
      const aliases = (attributes.seriesContinuity && attributes.seriesContinuity.aliasIds) || [];
      for (const name of [id, ...aliases]) found.set(name, attributes);
    }
  }
  return found;
}

/** Sends a request, with waits as the service asks, and returns the JSON of the reply. */
function ask_(path, body) {
  const { url, key } = settings_();
  const options = { headers: { 'X-Api-Key': key }, muteHttpExceptions: true, followRedirects: false };
  if (body) Object.assign(options, { method: 'post', contentType: 'application/json', payload: JSON.stringify(body) });
  for (let attempt = 1; ; attempt++) {
    let response;
    try {
      response = UrlFetchApp.fetch(url + path, options);
    } catch (error) {
      // The message of Apps Script may quote a header.
      throw new Error('No se pudo conectar con CUOTA_URL, o Google ya no permite más consultas por hoy.');
    }
    const status = response.getResponseCode();
    if (status === 200) return JSON.parse(response.getContentText('UTF-8'));
    const headers = response.getAllHeaders();
    const name = Object.keys(headers).find((header) => header.toLowerCase() === 'retry-after');
    const seconds = name === undefined ? Infinity : Number(headers[name]);
    if ((status === 429 || status === 503) && attempt < LIMITS_.attempts && seconds <= LIMITS_.waitSeconds) {
      Utilities.sleep(1000 * seconds);
      continue;
    }
    throw failure_(status, response.getContentText('UTF-8'));
  }
}

/** Reads the address and the key from the properties of the script. Neither is in a cell. */
function settings_() {
  const properties = PropertiesService.getScriptProperties();
  const read = (name) => {
    const value = (properties.getProperty(name) || '').trim();
    if (!value)
      throw new Error(`Falta la propiedad ${name} del script: Extensiones, Apps Script, Configuración del proyecto.`);
    return value;
  };
  const url = read('CUOTA_URL').replace(/\/+$/, '');
  if (!/^(https:\/\/|http:\/\/127\.0\.0\.1[:/])/.test(url)) throw new Error('CUOTA_URL debe comenzar con https://.');
  return { url, key: read('CUOTA_KEY') };
}

/** Makes an error with a text in Spanish. currentBatch and unknown say what the service told of. */
function failure_(status, text) {
  let reply = {};
  try {
    reply = JSON.parse(text) || {};
  } catch (error) {
    // Another program answered, such as a proxy.
  }
  const said = {
    401: 'La clave no es válida: revise la propiedad CUOTA_KEY del script.',
    410: 'El lote de datos ya no está. Vuelva a calcular.',
    422: 'El servicio no acepta la consulta. Revise los días del período.',
    429:
      reply.code === 'quota_exhausted'
        ? 'La clave ya usó sus consultas de hoy.'
        : 'Demasiadas consultas a la vez. Vuelva a calcular en un minuto.',
    503: 'El servicio no está disponible todavía. Vuelva a calcular en unos minutos.',
  }[status];
  const error = new Error(said || `El servicio contestó con el error ${status}${reply.code ? `, ${reply.code}` : ''}.`);
  if (status === 410) error.currentBatch = reply.current_batch_id;
  // A 404 lists the ids that the service does not know at the end of its sentence.
  const unknown = status === 404 && /: (\d[\d, ]*)\.$/.exec(String(reply.detail));
  if (unknown) error.unknown = unknown[1].split(', ');
  return error;
}
