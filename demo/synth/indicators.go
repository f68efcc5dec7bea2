package synth

import "cuota/model"

func (m *market) writeUF(out *output) error {
	return out.indicator(model.UF, "macro/uf_sintetica.csv", m.climate.uf, m.config.End)
}

func (m *market) writeDolar(out *output) error {
	return out.indicator(model.Dolar, "macro/dolar_observado_sintetico.csv", m.climate.dolar, m.config.End)
}

func (o *output) indicator(dataset model.Dataset, name string, values []indicator, end model.Date) error {
	return o.write(dataset, name, end.AddDays(1), func(f *file) {
		f.table("fecha", "valor")
		for _, v := range values {
			f.table(v.date.String(), rounded(float64(v.cents)/100, 2))
		}
	})
}
