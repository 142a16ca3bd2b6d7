package server

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/unum-cloud/uform-go/uform"
)

// metrics are what /metrics shows.
type metrics struct {
	registry *prometheus.Registry
	handler  http.Handler

	requests *prometheus.CounterVec   // by route and code
	seconds  *prometheus.HistogramVec // by route
	inFlight prometheus.Gauge

	calling     *prometheus.GaugeVec     // by model
	calls       *prometheus.CounterVec   // by model
	failures    *prometheus.CounterVec   // by model and status
	callSeconds *prometheus.HistogramVec // by model
	callItems   *prometheus.HistogramVec // by model
	items       *prometheus.CounterVec   // by model and modality
	bytes       *prometheus.CounterVec   // by model
}

// latencies are the buckets of histograms of seconds.
var latencies = prometheus.ExponentialBuckets(0.0005, 2, 16)

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "uform_requests_total", Help: "Requests that were answered, by route and HTTP status. A client that vanished is 499."}, []string{"route", "code"}),
		seconds:  prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "uform_request_seconds", Help: "Time from the header of a request to its answer.", Buckets: latencies}, []string{"route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "uform_requests_in_flight", Help: "Requests that are worked on."}),

		calling:     prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "uform_calls_in_flight", Help: "Calls of the encoder under way."}, []string{"model"}),
		calls:       prometheus.NewCounterVec(prometheus.CounterOpts{Name: "uform_calls_total", Help: "Calls of the encoder."}, []string{"model"}),
		failures:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "uform_call_failures_total", Help: "Calls of the encoder that failed, by the library's status."}, []string{"model", "status"}),
		callSeconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "uform_call_seconds", Help: "Time of a call of the encoder.", Buckets: latencies}, []string{"model"}),
		callItems:   prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "uform_call_items", Help: "Items in a call of the encoder, from one request or several.", Buckets: prometheus.ExponentialBuckets(1, 2, 8)}, []string{"model"}),
		items:       prometheus.NewCounterVec(prometheus.CounterOpts{Name: "uform_items_total", Help: "Items that were encoded."}, []string{"model", "modality"}),
		bytes:       prometheus.NewCounterVec(prometheus.CounterOpts{Name: "uform_input_bytes_total", Help: "Bytes of the items that were encoded."}, []string{"model"}),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.inFlight, m.calling, m.calls, m.failures, m.callSeconds, m.callItems, m.items, m.bytes,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.handler = promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
	return m
}

// gauge adds a value that is read when somebody asks for it.
func (m *metrics) gauge(name, help string, labels prometheus.Labels, value func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, value))
}

// modelMetrics are those of one model.
type modelMetrics struct {
	all  *metrics
	name string
}

// calls counts a call that begins.
func (m *modelMetrics) calls() { m.all.calling.WithLabelValues(m.name).Inc() }

// called counts a call of the encoder.
func (m *modelMetrics) called(modality uform.Modality, items, bytes int, took time.Duration, err error) {
	m.all.calling.WithLabelValues(m.name).Dec()
	m.all.calls.WithLabelValues(m.name).Inc()
	m.all.callSeconds.WithLabelValues(m.name).Observe(took.Seconds())
	m.all.callItems.WithLabelValues(m.name).Observe(float64(items))
	if err != nil {
		status, failure := "other", new(uform.Error)
		if errors.As(err, &failure) {
			status = strings.ReplaceAll(failure.Status.Error(), " ", "_")
		}
		m.all.failures.WithLabelValues(m.name, status).Inc()
		return
	}
	m.all.items.WithLabelValues(m.name, modality.String()).Add(float64(items))
	m.all.bytes.WithLabelValues(m.name).Add(float64(bytes))
}
