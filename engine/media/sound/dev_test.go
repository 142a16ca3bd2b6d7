package sound
import ("testing";"os";"path/filepath";"strings";"math";"encoding/binary";"fmt")
func TestDev(t *testing.T){
 dir:="../../../testdata/media/audio"
 fs,_:=filepath.Glob(dir+"/*.*")
 for _,f:=range fs { if strings.HasSuffix(f,".md"){continue}
  b,_:=os.ReadFile(f); rec,err:=Decode(b,nil)
  if err!=nil {fmt.Println(filepath.Base(f),"ERR",err);continue}
  var ref []float64
  n:=filepath.Base(f)
  if g,e:=os.ReadFile(dir+"/golden/"+n+".f32");e==nil{ for i:=0;i+4<=len(g);i+=4{ref=append(ref,float64(math.Float32frombits(binary.LittleEndian.Uint32(g[i:]))))}} else if g,e:=os.ReadFile(dir+"/golden/"+n+".s16");e==nil{for i:=0;i+2<=len(g);i+=2{ref=append(ref,float64(int16(binary.LittleEndian.Uint16(g[i:])))/32768)}} else {fmt.Println(n,rec.Rate,len(rec.Samples),"no golden");continue}
  var p,d,mx float64
  for i:=range min(len(ref),len(rec.Samples)){e:=ref[i]-float64(rec.Samples[i]);d+=e*e;p+=ref[i]*ref[i];mx=max(mx,math.Abs(e))}
  fmt.Printf("%-20s rate %d n %d ref %d SNR %.1f max %.2e\n",n,rec.Rate,len(rec.Samples),len(ref),10*math.Log10(p/d),mx)
 }
}
